import { listMember, member, textMember } from '../../../lib/json/json-member.ts';
import { readMarkdown } from '../../../lib/rich-text/readers.ts';
import type { Run } from '../../../lib/rich-text/rich-text.ts';
import type { Phone } from '../../phone.ts';
import { type ShownButton, type ShownContent, type ShownMedia, shownText } from '../../shown.ts';
import { fieldsIn } from '../../wire/fields.ts';
import type { Reply, Request } from '../../wire/request.ts';
import { kindOfFile } from '../files.ts';

/* The content of Webex messages: text, a file or a card. https://developer.webex.com/docs/api/v1/messages */

export const webexError = (status: number, message: string, headers = {}): Reply => ({
  status,
  headers,
  body: { message, errors: [{ description: message }], trackingId: 'ROUTER_6001' },
});

export const invalid = (what: string) => webexError(400, `SIMULATOR: ${what}`);

/** The fields of a JSON object or a form. */
export function fieldsOf({ json, form, parts }: Request): Readonly<Record<string, unknown>> {
  return parts ? { ...form } : fieldsIn(json);
}

const CREATE = [
  'roomId',
  'toPersonId',
  'toPersonEmail',
  'parentId',
  'text',
  'markdown',
  'files',
  'attachments',
];

export function badContent(
  request: Request,
  allowed: readonly string[] = CREATE,
): Reply | undefined {
  const fields = fieldsOf(request);
  return (
    unknownField(fields, allowed) ??
    badText(fields) ??
    (allowed === CREATE ? (badFile(fields, request.parts) ?? badCard(fields)) : undefined)
  );
}

export function unknownField(json: object, fields: readonly string[]): Reply | undefined {
  const unknown = Object.keys(json).find((field) => !fields.includes(field));
  return unknown === undefined ? undefined : invalid(`unknown field ${unknown}`);
}

type Fields = Readonly<Record<string, unknown>>;

function badText({ text, markdown }: Fields): Reply | undefined {
  for (const each of [text, markdown]) {
    if (each === undefined) continue;
    if (typeof each !== 'string' || each === '') return invalid('text');
    if (Buffer.byteLength(each) > 7439) return invalid('message length limit exceeded');
  }
  return undefined;
}

const MAX_FILE_BYTES = 100_000_000;

function badFile(
  { files, text, markdown, attachments }: Fields,
  parts: Request['parts'],
): Reply | undefined {
  const uploads = parts?.filter(({ filename }) => filename !== undefined) ?? [];
  const count = uploads.length + (Array.isArray(files) ? files.length : 0);
  if (files !== undefined && !Array.isArray(files)) return invalid('files');
  if (count > 1) return invalid('only one file');
  if (uploads.some(({ name }) => name !== 'files')) return invalid('the file is in `files`');
  if (uploads.some(({ bytes }) => bytes.length > MAX_FILE_BYTES)) return webexError(413, 'size');
  if (Array.isArray(files) && files.some((url) => !/^https?:\/\//.test(String(url)))) {
    return invalid('files');
  }
  const isEmpty = text === undefined && markdown === undefined && attachments === undefined;
  return isEmpty && count === 0 ? invalid('the message is empty') : undefined;
}

/** The parts of Adaptive Cards 1.3 that the channel uses. https://adaptivecards.io/explorer/ */
function badCard(fields: Fields): Reply | undefined {
  const { attachments } = fields;
  if (attachments === undefined) return undefined;
  const [attachment, ...others] = listMember(fields, 'attachments');
  const card = member(attachment, 'content');
  const isCard =
    textMember(attachment, 'contentType') === 'application/vnd.microsoft.card.adaptive' &&
    textMember(card, 'type') === 'AdaptiveCard' &&
    textMember(card, 'version') === '1.3';
  if (!isCard || others.length > 0) return invalid('attachments');
  const [block] = listMember(card, 'body');
  const runs = listMember(block, 'inlines');
  if (textMember(block, 'type') !== 'RichTextBlock' || runs.length === 0) return invalid('body');
  if (runs.some((run) => !textMember(run, 'text'))) return invalid('a text run');
  const actions = listMember(card, 'actions');
  const isValid = actions.every((each) => textMember(each, 'title') && isAction(each));
  return isValid && actions.length > 0 && actions.length <= 5 ? undefined : invalid('actions');
}

function isAction(action: unknown): boolean {
  return textMember(action, 'type') === 'Action.OpenUrl'
    ? /^[a-z]+:/.test(textMember(action, 'url') ?? '')
    : textMember(action, 'type') === 'Action.Submit' && typeof member(action, 'data') === 'object';
}

/** Apps show the card of a message in place of its text. */
export async function contentOf(request: Request, phone: Phone): Promise<ShownContent> {
  const fields = fieldsOf(request);
  const card = member(fields, 'attachments', '0', 'content');
  if (card !== undefined) {
    const runs = listMember(card, 'body', '0', 'inlines').map(runOf);
    return { ...shownText(runs), buttons: listMember(card, 'actions').map(buttonOf) };
  }
  const { text, markdown } = fields;
  const media = await mediaOf(request, phone);
  return {
    ...(typeof markdown === 'string'
      ? shownText(readMarkdown(markdown))
      : typeof text === 'string' && { text }),
    ...(media.length > 0 && { media }),
  };
}

async function mediaOf(request: Request, phone: Phone): Promise<ShownMedia[]> {
  const media = listMember(fieldsOf(request), 'files').map((each): ShownMedia => {
    const url = String(each);
    return { type: kindOfFile(url), url };
  });
  for (const { filename: name, mediaType = 'application/octet-stream', bytes } of request.parts ??
    []) {
    if (name === undefined) continue;
    const id = phone.newId();
    await phone.putFile({ id, name, mediaType, bytes });
    media.push({ type: kindOfFile(name), file: id, name, media_type: mediaType });
  }
  return media;
}

function runOf(run: unknown): Run {
  const link = textMember(run, 'selectAction', 'url');
  return {
    text: textMember(run, 'text') ?? '',
    look: {
      ...(textMember(run, 'weight') === 'Bolder' && { bold: true }),
      ...(member(run, 'italic') === true && { italic: true }),
      ...(member(run, 'strikethrough') === true && { strike: true }),
      ...(textMember(run, 'fontType') === 'Monospace' && { code: true }),
      ...(link !== undefined && { link }),
    },
  };
}

function buttonOf(action: unknown): ShownButton {
  const [label = '', url] = [textMember(action, 'title'), textMember(action, 'url')];
  if (url !== undefined) return { label, url };
  return { label, value: textMember(action, 'data', 'value') ?? label };
}
