import { textMember } from '../../lib/json/json-member.ts';
import { type Button, buttonKind, payloadOf } from '../../model/button.ts';
import type { Card, Unsupported } from '../channel.ts';

/*
 * Buttons of Messenger and Instagram.
 * https://developers.facebook.com/documentation/business-messaging/messenger-platform/send-messages/quick-replies
 * https://developers.facebook.com/documentation/business-messaging/messenger-platform/send-messages/template/button
 * https://developers.facebook.com/documentation/business-messaging/messenger-platform/send-messages/template/generic
 */

export const MAX_REPLIES = 13;
/** Maximum length of the value that a button sends back. */
export const MAX_PAYLOAD_LENGTH = 1000;
export const MAX_CARDS = 10;
const MAX_BUTTONS = 3;
const MAX_LABEL_LENGTH = 20;
const MAX_LENGTH_ABOVE_BUTTONS = 640;
const MAX_LINE_LENGTH = 80;

type Body = Readonly<Record<string, unknown>>;

/**
 * Up to 13 quick replies below the last text, or up to three buttons of any kind below a short text. Anything else
 * is unsupported by the channel with that title. Quick replies disappear when another message follows, buttons stay.
 */
export function addButtons<VendorRequest extends { body: Body }>(
  title: string,
  request: VendorRequest,
  buttons: readonly Button[],
  isLast: boolean,
): VendorRequest | Unsupported {
  const text = textMember(request.body['message'], 'text') ?? '';
  const withMessage = (message: object) => ({ ...request, body: { ...request.body, message } });
  if (isLast && buttons.every(({ url }) => url === undefined)) {
    return withMessage({ text, quick_replies: buttons.map(toReply) });
  }
  if (buttons.length > MAX_BUTTONS) {
    return {
      unsupported: `${title} accepts at most ${MAX_BUTTONS} buttons ${limitReason(isLast)}`,
    };
  }
  if (text.length > MAX_LENGTH_ABOVE_BUTTONS) {
    return {
      unsupported: `${title} accepts at most ${MAX_LENGTH_ABOVE_BUTTONS} characters above buttons ${limitReason(isLast)}`,
    };
  }
  const rendered = templateButtons(title, buttons);
  if ('unsupported' in rendered) return rendered;
  return withMessage(template({ template_type: 'button', text, buttons: rendered }));
}

const limitReason = (isLast: boolean) =>
  isLast ? 'if one opens a link' : 'if another message follows';

/** Cards side by side: an image, one or two lines, and buttons. */
export function genericTemplate(title: string, cards: readonly Card[]): object | Unsupported {
  const elements: object[] = [];
  for (const { image, text, buttons } of cards) {
    const [first = '', ...others] = text.text.split('\n');
    const second = others.join('\n');
    const unsupported = `${title} accepts two lines of at most ${MAX_LINE_LENGTH} characters per card`;
    if (first.trim() === '') return { unsupported: `${title} requires cards to have text` };
    if (Math.max(first.length, second.length) > MAX_LINE_LENGTH) return { unsupported };
    const isLong = buttons.some(({ name }) => name.length > MAX_LABEL_LENGTH);
    if (isLong || buttons.length > MAX_BUTTONS) {
      return {
        unsupported: `${title} accepts at most ${MAX_BUTTONS} buttons of ${MAX_LABEL_LENGTH} characters per card`,
      };
    }
    const rendered = templateButtons(title, buttons);
    if ('unsupported' in rendered) return rendered;
    const details = {
      ...(second.trim() !== '' && { subtitle: second }),
      ...(image !== undefined && { image_url: image }),
      ...(rendered.length > 0 && { buttons: rendered }),
    };
    if (Object.keys(details).length === 0)
      return { unsupported: `${title} requires cards to have more than text` };
    elements.push({ title: first, ...details });
  }
  return template({ template_type: 'generic', elements });
}

const template = (payload: object) => ({ attachment: { type: 'template', payload } });

function templateButtons(title: string, buttons: readonly Button[]): object[] | Unsupported {
  const rendered = buttons.map(toButton);
  return rendered.every((each) => each !== undefined)
    ? rendered
    : { unsupported: `${title} requires phone numbers to have a country code` };
}

function toButton(button: Button): object | undefined {
  const { name: title, url } = button;
  const kind = buttonKind(button);
  if (kind === 'reply') return { type: 'postback', title, payload: payloadOf(button) };
  if (kind !== 'tel') return { type: 'web_url', title, url };
  // Separators are for readability only. https://www.rfc-editor.org/rfc/rfc3966#section-5.1.1
  const payload = url?.slice('tel:'.length).replaceAll(/[-.()]/g, '') ?? '';
  return /^\+\d{3,15}$/.test(payload) ? { type: 'phone_number', title, payload } : undefined;
}

function toReply(button: Button): object {
  return { content_type: 'text', title: button.name, payload: payloadOf(button) };
}
