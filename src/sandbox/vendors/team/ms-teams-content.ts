import { listMember, member, textMember } from '../../../lib/json/json-member.ts';
import { readHtml } from '../../../lib/rich-text/readers.ts';
import { type ShownButton, type ShownContent, type ShownMedia, shownText } from '../../shown.ts';
import { fieldsIn } from '../../wire/fields.ts';
import type { Reply, Request } from '../../wire/request.ts';

/*
 * The content of Teams messages: text, images and hero cards.
 * https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-reference
 */

export const teamsError = (status: number, code: string, message = 'No'): Reply => ({
  status,
  body: { error: { code, message } },
});

export const badSyntax = (message: string) => teamsError(400, 'BadSyntax', message);

const ALERT = { notification: { alert: true } };
const FIELDS = ['type', 'conversation', 'text', 'textFormat', 'attachments'];

export function badActivity(
  { json, headers }: Request,
  more: readonly string[],
): Reply | undefined {
  if (headers['content-type'] !== 'application/json')
    return teamsError(415, 'UnsupportedMediaType');
  if (typeof json !== 'object' || json === null) return badSyntax('Invalid JSON');
  const unknown = Object.keys(json).find((key) => ![...FIELDS, ...more].includes(key));
  if (unknown !== undefined) return badSyntax(`unknown: ${unknown}`);
  const data = JSON.stringify(member(json, 'channelData') ?? ALERT);
  if (data !== JSON.stringify(ALERT)) return badSyntax('channelData');
  if (textMember(json, 'type') !== 'message') return badSyntax('Activity type is missing');
  const { text = '', textFormat, attachments = [] }: Record<string, unknown> = { ...json };
  if (typeof text !== 'string' || !Array.isArray(attachments)) return badSyntax('Wrong types');
  if (JSON.stringify(json).length * 2 > 100 * 1024) {
    return teamsError(413, 'MessageSizeTooBig', 'Message size too large.');
  }
  if (text.trim() === '' && attachments.length === 0) return badSyntax('Empty message');
  if (text !== '' && textFormat !== 'plain' && textFormat !== 'xml') return badSyntax('textFormat');
  if (textFormat === 'xml' && /&(?!(?:amp|lt|gt|quot);)/.test(text)) return badSyntax('Bad XML');
  return attachments.every(isAttachment) ? undefined : badSyntax('Invalid attachment');
}

function isAttachment(attachment: unknown): boolean {
  const type = textMember(attachment, 'contentType') ?? '';
  if (/^image\/(?:png|jpeg|gif)$/.test(type)) {
    return textMember(attachment, 'contentUrl')?.startsWith('https://') === true;
  }
  const {
    text = 'x',
    images = [],
    buttons = [],
    ...rest
  } = fieldsIn(member(attachment, 'content'));
  if (type !== 'application/vnd.microsoft.card.hero' || Object.keys(rest).length > 0) return false;
  if (typeof text !== 'string' || text === '' || /&(?!(?:amp|lt|gt|quot);)/.test(text))
    return false;
  return areImages(images) && areButtons(buttons);
}

function areImages(images: unknown): boolean {
  if (!Array.isArray(images) || images.length > 1) return false;
  return images.every((each) => textMember(each, 'url')?.startsWith('https://') === true);
}

function areButtons(buttons: unknown): boolean {
  return Array.isArray(buttons) && buttons.length <= 6 && buttons.every(isButton);
}

function isButton(button: unknown): boolean {
  const type = textMember(button, 'type');
  if (!textMember(button, 'title')) return false;
  if (type === 'openUrl') return /^https?:\/\//.test(textMember(button, 'value') ?? '');
  const hasText = textMember(button, 'text') !== undefined;
  return type === 'messageBack' && hasText && typeof member(button, 'value') === 'object';
}

/** The text of a card is HTML. */
export function contentOf(json: unknown): ShownContent {
  const attachments = listMember(json, 'attachments');
  const cards = attachments.map((each) => member(each, 'content'));
  const html = cards.flatMap((card) => textMember(card, 'text') ?? []).join('<br>');
  const text = textMember(json, 'text') ?? '';
  const isPlain = textMember(json, 'textFormat') === 'plain';
  const media = [
    ...attachments.flatMap((each) => imageOf(textMember(each, 'contentUrl'), each, 'name')),
    ...cards
      .flatMap((card) => listMember(card, 'images'))
      .flatMap((each) => imageOf(textMember(each, 'url'), each, 'alt')),
  ];
  const buttons = cards.flatMap((card) => listMember(card, 'buttons')).map(buttonOf);
  return {
    ...(text !== '' && isPlain ? { text } : shownText(readHtml(text === '' ? html : text))),
    ...(media.length > 0 && { media }),
    ...(buttons.length > 0 && { buttons }),
  };
}

function imageOf(url: string | undefined, image: unknown, label: string): ShownMedia[] {
  const name = textMember(image, label);
  return url === undefined ? [] : [{ type: 'Image', url, ...(name !== undefined && { name }) }];
}

function buttonOf(button: unknown): ShownButton {
  const label = textMember(button, 'title') ?? '';
  const url = textMember(button, 'value');
  if (url !== undefined) return { label, url };
  return { label, value: textMember(button, 'value', 'value') ?? label };
}
