import { textMember } from '../../../src/lib/json/json-member.ts';
import type { HttpPeer, Request } from '../server/http.ts';
import { type Shape, link, list, literal, object, oneOf, text } from '../server/shape.ts';
import { graphError, invalid, openGraph } from './graph.ts';

/*
 * The parts of Meta's Send API that we use, at least as strict as documented: fields that Meta would silently
 * ignore are refused.
 * https://developers.facebook.com/documentation/business-messaging/messenger-platform/send-messages
 */

/** Page-scoped and Instagram-scoped ids look the same. */
export const PEOPLE = {
  known: '4012345678901234',
  gone: '4012345678900551',
  silent: '4012345678900024',
} as const;

export interface SendApi {
  /** Maximum length of a text. */
  messageText: Shape;
  /** Fields besides recipient and message. */
  more: Readonly<Record<string, Shape>>;
  kinds: readonly string[];
  /** Whether phone buttons are supported. */
  dials: boolean;
  /** The account's name, by the field that contains it. */
  names: Readonly<Record<string, string>>;
  tokens: readonly string[];
}

const reply = object({ content_type: literal('text'), title: text(20), payload: text(1000) });
const button = oneOf(
  object({ type: literal('web_url'), title: text(20), url: link }),
  object({ type: literal('postback'), title: text(20), payload: text(1000) }),
);
const call = object({
  type: literal('phone_number'),
  title: text(20),
  payload: text(16, /^\+\d{3,15}$/),
});

const withMore =
  (shape: Shape): Shape =>
  (value, at) =>
    Object.keys(Object(value)).length > 1 ? shape(value, at) : at;

/** https://developers.facebook.com/documentation/business-messaging/messenger-platform/send-messages/template */
function templateOf(buttons: Shape): Shape {
  const element = object({
    title: text(80),
    'subtitle?': text(80),
    'image_url?': link,
    'buttons?': list(buttons, 3),
  });
  return object({
    type: literal('template'),
    payload: oneOf(
      object({ template_type: literal('generic'), elements: list(withMore(element), 10) }),
      object({ template_type: literal('button'), text: text(640), buttons: list(buttons, 3) }),
    ),
  });
}

export async function openSendApi({
  messageText,
  more,
  kinds,
  dials,
  names,
  tokens,
}: SendApi): Promise<HttpPeer> {
  let last = 0;
  const media = kinds.map((kind) =>
    object({ type: literal(kind), payload: object({ url: link }) }),
  );
  const template = templateOf(dials ? oneOf(call, button) : button);
  const shape = object({
    ...more,
    recipient: object({ id: text(32, /^\d+$/) }),
    'reply_to?': object({ mid: text(300) }),
    message: oneOf(
      object({ attachment: oneOf(template, ...media) }),
      object({ text: messageText, 'quick_replies?': list(reply, 13) }),
    ),
  });
  return openGraph(
    {
      'POST /me/messages'({ json }: Request) {
        const fault = shape(json, 'request');
        if (fault !== undefined) return invalid(fault);
        const id = textMember(json, 'recipient', 'id') ?? '';
        if (id === PEOPLE.gone) {
          return graphError(551, "This person isn't available right now.", { subcode: 1_545_041 });
        }
        const isTagged = textMember(json, 'messaging_type') === 'MESSAGE_TAG';
        if (isTagged !== (textMember(json, 'tag') !== undefined)) return invalid('tag');
        if (id === PEOPLE.silent && !isTagged) {
          return graphError(10, 'This message is sent outside of allowed window.', {
            status: 403,
            subcode: 2_018_278,
          });
        }
        if (id !== PEOPLE.known && id !== PEOPLE.silent) {
          return graphError(100, 'No matching user found', { subcode: 2_018_001 });
        }
        return { status: 200, body: { recipient_id: id, message_id: `m_${++last}` } };
      },

      'GET /me'({ path }: Request) {
        const field = /\?fields=(\w+)$/.exec(path)?.[1] ?? '';
        const name = names[field];
        if (name === undefined) return invalid(`fields=${field}`);
        return { status: 200, body: { [field]: name, id: '1906385232743851' } };
      },
    },
    tokens,
  );
}
