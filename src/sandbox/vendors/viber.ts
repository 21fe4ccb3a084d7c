import { createHmac } from 'node:crypto';

import { listMember, member, numberMember, textMember } from '../../lib/json/json-member.ts';
import type { Phone } from '../phone.ts';
import type { ShownButton, ShownContent } from '../shown.ts';
import type { ReportContext, Simulator, WebhookRequest, WrittenMessage } from '../simulator.ts';
import type { Reply, Request } from '../wire/request.ts';
import {
  type Shape,
  link,
  list,
  literal,
  number,
  object,
  oneOf,
  text,
  textOrEmpty,
} from '../wire/shape.ts';
import { readSimpleMarkup } from './simple-markup.ts';

/*
 * Viber's bot API, at least as strict as documented: fields that Viber would silently ignore are refused.
 * https://creators.viber.com/docs/bots-api/resources/messaging/send-message
 */
export const TOKEN = '445da6az1s345z78-fake-token-of-a-bot';

/** Beyond 2^53, like all Viber tokens. */
export const FIRST_TOKEN = '5741311803571721087';

const MEDIA_HOST = 'dl-media.viber.com';

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
    // An unescaped sign would start an element.
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

const bytesUpTo =
  (max: number): Shape =>
  (value, at) =>
    Number.isInteger(value) && Number(value) > 0 && Number(value) <= max ? undefined : at;

const message = oneOf(
  object({
    ...head,
    type: literal('picture'),
    text: textOrEmpty(512),
    media: text(2000, /^https?:\/\/[^?#]+\.(jpe?g|png|gif)([?#]|$)/i),
  }),
  object({
    ...head,
    type: literal('video'),
    media: text(2000, /^https?:\/\/[^?#]+\.mp4([?#]|$)/i),
    size: bytesUpTo(26_000_000),
  }),
  object({
    ...head,
    type: literal('file'),
    media: link,
    size: bytesUpTo(50_000_000),
    file_name: text(256),
  }),
  object({ ...head, type: literal('location'), location: object({ lat: number, lon: number }) }),
  object({ ...head, type: literal('text'), text: text(7000) }),
);

/** https://creators.viber.com/docs/bots-api/resources/webhooks: events that are always sent need not be requested. */
const hook = object({
  url: text(2000, /^https:\/\//),
  event_types: list(
    text(30, /^(delivered|seen|failed|subscribed|unsubscribed|conversation_started)$/),
    6,
  ),
  send_name: literal(true),
});

/** Each part of an answer has its own token. */
const tokenOf = (count: number) => String(BigInt(FIRST_TOKEN) + BigInt(count) - 1n);

const CALLS = new Set(['POST /send_message', 'POST /get_account_info', 'POST /set_webhook']);

export const viber: Simulator = {
  channel: 'viber',
  credentials: { token: TOKEN, username: 'Example' },
  hosts: [MEDIA_HOST],
  people: [
    { address: '01234567890A=', name: 'Ada Example' },
    { address: '01234567891A=', name: 'Grace Example' },
  ],
  hasPlaces: () => true,
  magicAddress: (digits) => `900000${digits}`,

  recipientOf: ({ path, json }) =>
    path === '/send_message' ? textMember(json, 'receiver') : undefined,

  async respond(request, phone) {
    const { method, path, headers, json } = request;
    const [, file] = /^https:\/\/dl-media\.viber\.com\/(\w+)\//.exec(path) ?? [];
    if (file !== undefined) return download(file, phone);
    if (!CALLS.has(`${method} ${path}`)) return { status: 404, body: 'not found' };
    if (headers['content-type'] !== 'application/json') return viberError(3, 'badData');
    const token = headers['x-viber-auth-token'];
    if (token === undefined) return viberError(2, 'missing_auth_token');
    if (token !== TOKEN) return viberError(2, 'invalidAuthToken');
    if (path === '/send_message') return send(request, phone);
    const ok = { status: 0, status_message: 'ok' };
    if (path === '/get_account_info') {
      const body = { ...ok, id: 'pa:1', name: 'Example bot', uri: 'example' };
      return request.text === '{}' ? { status: 200, body } : viberError(3, 'badData');
    }
    const wrong = hook(json, 'hook');
    if (wrong !== undefined) return viberError(1, `SIMULATOR: ${wrong} is invalid`);
    return { status: 200, body: { ...ok, event_types: member(json, 'event_types') } };
  },

  refusals: {
    blocked: () => viberError(6, 'notSubscribed'),
    unknown: () => viberError(5, 'receiverNotRegistered'),
    limited: () => viberError(12, 'tooManyRequests'),
    credentials: () => viberError(2, 'invalidAuthToken'),
  },

  /** https://creators.viber.com/docs/bots-api/resources/messaging/send-message */
  limits: [{ count: 100, seconds: 3_600, per: 'recipient', untilReply: true }],
  reports: {
    message(written, context) {
      const { person, replyTo } = written;
      const tracking_data = replyTo?.entry.tracking ?? '';
      const sender = userOf(person.address, person.name);
      const token = tokenOf(context.number);
      const event = { sender, message: { ...contentOf(written), tracking_data }, silent: false };
      return { ...signed('message', token, event, context), id: token };
    },

    press({ person, button: { label, value = label }, message: pressed }, context) {
      const sender = userOf(person.address, person.name);
      const answer = { type: 'text', text: value, tracking_data: pressed.entry.tracking ?? '' };
      const event = { sender, message: answer, silent: false };
      return signed('message', tokenOf(context.number), event, context);
    },

    receipt({ message: { vendorId, person }, state }, context) {
      const event = { user_id: person, ...(state === 'failed' && { desc: 'Device unreachable' }) };
      return signed(state === 'read' ? 'seen' : state, vendorId, event, context);
    },

    join: ({ person }, context) => subscribed(person.address, person.name, context),
    leave: ({ person }, context) => unsubscribed(person.address, context),
    block: ({ person }, context) => unsubscribed(person.address, context),
    unblock: ({ person }, context) => subscribed(person.address, person.name, context),
  },
};

async function send({ text: written, json }: Request, phone: Phone): Promise<Reply> {
  if (Buffer.byteLength(written) > 30_000) return viberError(3, 'too big');
  const fault = message(json, 'message');
  if (fault !== undefined) return viberError(3, `SIMULATOR: ${fault} is invalid`);
  const receiver = textMember(json, 'receiver') ?? '';
  const { vendorId } = await phone.show(receiver, shownOf(json), (count) => tokenOf(count));
  // As Viber writes it: a number that JavaScript would round.
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: `{"status":0,"status_message":"ok","message_token":${vendorId},"chat_hostname":"SN-CHAT-01_","billing_status":1}`,
  };
}

function shownOf(json: unknown): ShownContent {
  const buttons = listMember(json, 'keyboard', 'Buttons').map(buttonOf);
  const tracking = textMember(json, 'tracking_data');
  return {
    ...mediaOf(json),
    ...readSimpleMarkup(textMember(json, 'text') ?? ''),
    ...(buttons.length > 0 && { buttons }),
    ...(tracking !== undefined && { tracking }),
  };
}

function mediaOf(json: unknown): ShownContent {
  const [url = '', name] = [textMember(json, 'media'), textMember(json, 'file_name')];
  switch (textMember(json, 'type')) {
    case 'picture':
      return { media: [{ type: 'Image', url }] };
    case 'video':
      return { media: [{ type: 'Video', url }] };
    case 'file':
      return { media: [{ type: 'Document', url, ...(name !== undefined && { name }) }] };
    case 'location': {
      const [latitude = 0, longitude = 0] = ['lat', 'lon'].map((each) =>
        numberMember(json, 'location', each),
      );
      return { place: { latitude, longitude } };
    }
    default:
      return {};
  }
}

/** The keyboard is below the chat until the next message. */
function buttonOf(shown: unknown): ShownButton {
  const [label = '', action = ''] = [textMember(shown, 'Text'), textMember(shown, 'ActionBody')];
  const name = label.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  return textMember(shown, 'ActionType') === 'open-url'
    ? { label: name, url: action, quick: true }
    : { label: name, value: action, quick: true };
}

async function download(id: string, phone: Phone): Promise<Reply> {
  const file = await phone.file(id);
  if (!file) return { status: 404, body: 'not found' };
  return { status: 200, headers: { 'content-type': file.mediaType }, body: file.bytes };
}

const userOf = (id: string, name: string) => ({ id, name, language: 'en', country: 'UK' });

/** https://creators.viber.com/docs/bots-api/resources/callbacks */
function contentOf({ text: written, media, place }: WrittenMessage): object {
  if (place) {
    const { latitude: lat, longitude: lon } = place;
    return { type: 'location', location: { lat, lon } };
  }
  if (!media) return { type: 'text', text: written };
  const { id, name: file_name, bytes } = media.file;
  const url = `https://${MEDIA_HOST}/${id}/${encodeURIComponent(file_name)}`;
  const type = { Image: 'picture', Video: 'video', Audio: 'file', Document: 'file' }[media.type];
  return { type, media: url, file_name, size: bytes.length, text: written ?? '' };
}

const subscribed = (id: string, name: string, context: ReportContext) =>
  signed('subscribed', tokenOf(context.number), { user: userOf(id, name) }, context);

const unsubscribed = (id: string, context: ReportContext) =>
  signed('unsubscribed', tokenOf(context.number), { user_id: id }, context);

/** https://creators.viber.com/docs/bots-api/resources/callbacks#validation */
function signed(
  event: string,
  token: string,
  more: object,
  { credentials, now }: ReportContext,
): WebhookRequest {
  const rest = JSON.stringify({ chat_hostname: 'SN-CHAT-01_', ...more }).slice(1);
  // The token is a number that JavaScript would round.
  const body = `{"event":"${event}","timestamp":${now},"message_token":${token},${rest}`;
  const signature = createHmac('sha256', credentials.token ?? '')
    .update(body)
    .digest('hex');
  return {
    headers: { 'content-type': 'application/json', 'x-viber-content-signature': signature },
    body,
  };
}
