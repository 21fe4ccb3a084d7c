import { textMember } from '../../lib/json/json-member.ts';
import { type Button, buttonKind, payloadOf } from '../../model/button.ts';
import type { Card, Unfit } from '../channel.ts';

/*
 * Buttons of Messenger and Instagram.
 * https://developers.facebook.com/documentation/business-messaging/messenger-platform/send-messages/quick-replies
 * https://developers.facebook.com/documentation/business-messaging/messenger-platform/send-messages/template/button
 * https://developers.facebook.com/documentation/business-messaging/messenger-platform/send-messages/template/generic
 */

export const MOST_REPLIES = 13;
/** Maximum length of the value that a button sends back. */
export const MOST_OF_PAYLOAD = 1000;
export const MOST_CARDS = 10;
const MOST_BUTTONS = 3;
const MOST_OF_LABEL = 20;
const MOST_ABOVE_BUTTONS = 640;
const MOST_OF_LINE = 80;

type Body = Readonly<Record<string, unknown>>;

/**
 * Up to 13 quick replies below the last text, or up to three buttons of all kinds below a short text. Anything else
 * is unsupported by the channel with that title. Quick replies disappear when another message follows, buttons stay.
 */
export function addButtons<Wire extends { body: Body }>(
  title: string,
  wire: Wire,
  buttons: readonly Button[],
  isLast: boolean,
): Wire | Unfit {
  const text = textMember(wire.body['message'], 'text') ?? '';
  const put = (message: object) => ({ ...wire, body: { ...wire.body, message } });
  if (isLast && buttons.every(({ url }) => url === undefined)) {
    return put({ text, quick_replies: buttons.map(toReply) });
  }
  if (buttons.length > MOST_BUTTONS) {
    return { unfit: `${title} takes at most ${MOST_BUTTONS} buttons ${whyFew(isLast)}` };
  }
  if (text.length > MOST_ABOVE_BUTTONS) {
    return {
      unfit: `${title} takes at most ${MOST_ABOVE_BUTTONS} characters above buttons ${whyFew(isLast)}`,
    };
  }
  const written = templateButtons(title, buttons);
  if ('unfit' in written) return written;
  return put(template({ template_type: 'button', text, buttons: written }));
}

const whyFew = (isLast: boolean) =>
  isLast ? 'when one leads somewhere' : 'when another message follows';

/** Cards side by side: an image, one or two lines, and buttons. */
export function genericTemplate(title: string, cards: readonly Card[]): object | Unfit {
  const elements: object[] = [];
  for (const { image, text, buttons } of cards) {
    const [first = '', ...others] = text.text.split('\n');
    const second = others.join('\n');
    const few = `${title} takes at most ${MOST_OF_LINE} characters in each of two lines on a card`;
    if (first.trim() === '') return { unfit: `${title} takes no cards without a text` };
    if (Math.max(first.length, second.length) > MOST_OF_LINE) return { unfit: few };
    const isLong = buttons.some(({ name }) => name.length > MOST_OF_LABEL);
    if (isLong || buttons.length > MOST_BUTTONS) {
      return { unfit: `${title} takes ${MOST_BUTTONS} buttons of ${MOST_OF_LABEL} on a card` };
    }
    const written = templateButtons(title, buttons);
    if ('unfit' in written) return written;
    const more = {
      ...(second.trim() !== '' && { subtitle: second }),
      ...(image !== undefined && { image_url: image }),
      ...(written.length > 0 && { buttons: written }),
    };
    if (Object.keys(more).length === 0) return { unfit: `${title} takes no bare text as a card` };
    elements.push({ title: first, ...more });
  }
  return template({ template_type: 'generic', elements });
}

const template = (payload: object) => ({ attachment: { type: 'template', payload } });

function templateButtons(title: string, buttons: readonly Button[]): object[] | Unfit {
  const written = buttons.map(toButton);
  return written.every((each) => each !== undefined)
    ? written
    : { unfit: `${title} dials numbers with their country code only` };
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
