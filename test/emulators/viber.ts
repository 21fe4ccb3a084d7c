import { member, textMember } from '../../src/lib/json/json-member.ts';
import { type HttpPeer, type Reply, openHttp } from './server/http.ts';
import {
  type Shape,
  link,
  list,
  literal,
  number,
  object,
  oneOf,
  text,
  textOrNone,
} from './server/shape.ts';

/*
 * The parts of Viber's bot API that we use, at least as strict as documented: fields that Viber would silently
 * ignore are refused. https://creators.viber.com/docs/bots-api/resources/messaging/send-message
 */
export const TOKEN = '445da6az1s345z78-fake-token-of-a-bot';

export const PEOPLE = {
  known: '01234567890A=',
  unsubscribed: 'unsubscribed0A==',
  unknown: 'unknown0A==',
} as const;

/** Beyond 2^53, like all Viber tokens. */
export const FIRST_TOKEN = '5741311803571721087';

export const viberError = (status: number, message: string): Reply => ({
  status: 200,
  body: { status, status_message: message, chat_hostname: 'SN-CHAT-01_' },
});

const key = (type: string, action: Shape) =>
  object({
    Columns: literal(6),
    Rows: literal(1),
    ActionType: literal(type),
    ActionBody: action,
    // Unescaped text would be an element.
    Text: text(250, /^(?:[^&<>]|&(?:amp|lt|gt);)+$/),
  });

const keyboard = object({
  Type: literal('keyboard'),
  DefaultHeight: literal(false),
  Buttons: list(oneOf(key('reply', text(250)), key('open-url', link)), 24),
});

const head = {
  receiver: text(128),
  sender: object({ name: text(28) }),
  'keyboard?': keyboard,
  'tracking_data?': text(4000),
};

/** In bytes. */
const whole =
  (most: number): Shape =>
  (value, at) =>
    Number.isInteger(value) && Number(value) > 0 && Number(value) <= most ? undefined : at;

const message = oneOf(
  object({
    ...head,
    type: literal('picture'),
    text: textOrNone(512),
    media: text(2000, /^https?:\/\/[^?#]+\.(jpe?g|png|gif)([?#]|$)/i),
  }),
  object({
    ...head,
    type: literal('video'),
    media: text(2000, /^https?:\/\/[^?#]+\.mp4([?#]|$)/i),
    size: whole(26_000_000),
  }),
  object({
    ...head,
    type: literal('file'),
    media: link,
    size: whole(50_000_000),
    file_name: text(256),
  }),
  object({ ...head, type: literal('location'), location: object({ lat: number, lon: number }) }),
  object({ ...head, type: literal('text'), text: text(7000) }),
);

/**
 * https://creators.viber.com/docs/bots-api/resources/webhooks: events that are always sent need not be requested.
 */
const hook = object({
  url: text(2000, /^https:\/\//),
  event_types: list(
    text(30, /^(delivered|seen|failed|subscribed|unsubscribed|conversation_started)$/),
    6,
  ),
  send_name: literal(true),
});

export async function openViber(): Promise<HttpPeer> {
  let last = BigInt(FIRST_TOKEN) - 1n;
  return openHttp((request) => {
    const { method, path, headers, json } = request;
    const call = `${method} ${path}`;
    if (!['POST /send_message', 'POST /get_account_info', 'POST /set_webhook'].includes(call)) {
      return { status: 404, body: 'not found' };
    }
    if (headers['content-type'] !== 'application/json') return viberError(3, 'badData');
    const token = headers['x-viber-auth-token'];
    if (token === undefined) return viberError(2, 'missing_auth_token');
    if (token !== TOKEN) return viberError(2, 'invalidAuthToken');
    if (path === '/get_account_info') {
      const body = {
        status: 0,
        status_message: 'ok',
        id: 'pa:1',
        name: 'Example bot',
        uri: 'example',
      };
      return request.text === '{}' ? { status: 200, body } : viberError(3, 'badData');
    }
    if (path === '/set_webhook') {
      const wrong = hook(json, 'hook');
      if (wrong !== undefined) return viberError(1, `EMULATOR: ${wrong} is not as it should be`);
      const event_types = member(json, 'event_types');
      return { status: 200, body: { status: 0, status_message: 'ok', event_types } };
    }
    if (Buffer.byteLength(request.text) > 30_000) return viberError(3, 'too big');
    const fault = message(json, 'message');
    if (fault !== undefined) return viberError(3, `EMULATOR: ${fault} is not as it should be`);
    const receiver = textMember(json, 'receiver');
    if (receiver === PEOPLE.unsubscribed) return viberError(6, 'notSubscribed');
    if (receiver !== PEOPLE.known) return viberError(5, 'receiverNotRegistered');
    last += 1n;
    // As Viber writes it: a number that JavaScript would round.
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: `{"status":0,"status_message":"ok","message_token":${last},"chat_hostname":"SN-CHAT-01_","billing_status":1}`,
    };
  });
}
