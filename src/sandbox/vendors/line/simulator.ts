import { createHash } from 'node:crypto';

import { listMember, member, numberMember, textMember } from '../../../lib/json/json-member.ts';
import type { Phone } from '../../phone.ts';
import type { ShownButton, ShownContent, ShownMedia } from '../../shown.ts';
import type { Simulator } from '../../simulator.ts';
import type { Reply, Request } from '../../wire/request.ts';
import { events, fileOf, personOf } from './events.ts';
import { badEndpoint, badPush, badReply, lineError } from './requests.ts';

/* LINE's Messaging API. https://developers.line.biz/en/reference/messaging-api/ */

export const TOKEN = 'fake-token-that-lasts';
/** Short-lived tokens are all the same. */
const ISSUED = 'fake-token-of-15-minutes';
export const SECRET = 'fake-secret-of-the-channel';
export const CHANNEL = '1234567890';

const hex = (kind: string, digit: string) => kind + digit.repeat(32);

export const line: Simulator = {
  channel: 'line',
  credentials: { token: TOKEN, secret: SECRET },
  people: [
    { address: hex('U', '4'), name: 'Ada Example' },
    { address: hex('U', '5'), name: 'Grace Example' },
    { address: hex('C', '4'), name: 'Example group', isRoom: true },
  ],
  isRoom: (address) => /^[CR]/.test(address),
  hasPlaces: () => true,
  magicAddress: (number) => `Ufa017${'0'.repeat(24)}${number}`,

  recipientOf({ method, path, json }) {
    if (method !== 'POST') return undefined;
    if (path === '/v2/bot/message/push') return textMember(json, 'to');
    const isReply = path === '/v2/bot/message/reply';
    return isReply ? personOf(textMember(json, 'replyToken') ?? '')?.address : undefined;
  },

  async respond(request, phone) {
    const { path, method, headers } = request;
    if (path === '/oauth2/v3/token' && method === 'POST') return issue(request);
    const [, token = ''] = /^Bearer (.+)$/.exec(headers['authorization'] ?? '') ?? [];
    if (token !== TOKEN && token !== ISSUED) return UNAUTHORIZED;
    if (path === '/v2/bot/message/reply' && method === 'POST') return reply(request, phone);
    if (path === '/v2/bot/message/push') {
      return method === 'POST' ? push(request, phone) : lineError(405, 'Method not allowed');
    }
    if (path === '/v2/bot/channel/webhook/endpoint' && method === 'PUT') {
      return badEndpoint(request) ?? { status: 200, body: {} };
    }
    return method === 'GET' ? read(path, phone) : lineError(404, 'Not found');
  },

  refusals: {
    blocked: () => lineError(400, 'Failed to send messages'),
    unknown: () => lineError(400, 'Failed to send messages'),
    limited: () => lineError(429, 'The API rate limit has been exceeded. Try again later.'),
    credentials: () => UNAUTHORIZED,
  },

  /** https://developers.line.biz/en/reference/messaging-api/#rate-limits */
  limits: [{ count: 2_000, seconds: 1, per: 'account' }],
  reports: events,
};

const UNAUTHORIZED = lineError(
  401,
  'Authentication failed. Confirm that the access token is valid.',
);

/** https://developers.line.biz/en/reference/messaging-api/#issue-stateless-channel-access-token */
function issue({ form = {} }: Request): Reply {
  if (form['grant_type'] !== 'client_credentials' || Object.keys(form).length !== 3) {
    return { status: 400, body: { error: 'invalid_request' } };
  }
  if (form['client_id'] !== CHANNEL || form['client_secret'] !== SECRET) {
    const error_description = 'invalid client_secret';
    return { status: 401, body: { error: 'invalid_client', error_description } };
  }
  return { status: 200, body: { token_type: 'Bearer', access_token: ISSUED, expires_in: 899 } };
}

async function read(path: string, phone: Phone): Promise<Reply> {
  if (path === '/v2/bot/info') {
    const id = { userId: hex('U', '1'), basicId: '@216ru' };
    return { status: 200, body: { ...id, displayName: 'Example', chatMode: 'bot' } };
  }
  if (path === '/v2/bot/channel/webhook/endpoint') {
    return { status: 200, body: { endpoint: 'https://sandbox.test', active: true } };
  }
  const [, id, rest] = /^\/v2\/bot\/message\/(\d{1,30})\/content(\/transcoding)?$/.exec(path) ?? [];
  if (id === undefined) return lineError(404, 'Not found');
  if (rest !== undefined) return { status: 200, body: { status: 'succeeded' } };
  const file = await phone.file(fileOf(id));
  if (!file) return lineError(404, 'Not found');
  return { status: 200, headers: { 'content-type': file.mediaType }, body: file.bytes };
}

/**
 * A message has the id of its retry key or reply token, so that the phone tells whether it was accepted before. Every
 * message but a location has a quote token.
 */
function sentAs(key: string, json: unknown): { id: string; quoteToken?: string } {
  const digest = createHash('sha256').update(key).digest('hex').slice(0, 14);
  const id = BigInt(`0x1${digest}`).toString();
  const isLocation = textMember(json, 'messages', '0', 'type') === 'location';
  return { id, ...(!isLocation && { quoteToken: `fake-quote-${id}` }) };
}

const vendorIdOf = ({ id, quoteToken }: ReturnType<typeof sentAs>) =>
  quoteToken === undefined ? id : `${id}:${quoteToken}`;

async function push(request: Request, phone: Phone): Promise<Reply> {
  const fault = badPush(request);
  if (fault) return fault;
  const { json, headers } = request;
  const sent = sentAs(headers['x-line-retry-key'] ?? '', json);
  const body = { sentMessages: [sent] };
  if (await phone.find(vendorIdOf(sent))) {
    return { status: 409, body: { message: 'The retry key is already accepted', ...body } };
  }
  const to = textMember(json, 'to') ?? '';
  await phone.show(to, shownOf(member(json, 'messages', '0')), () => vendorIdOf(sent));
  return { status: 200, body };
}

const REPLY_MS = 60_000;

/** A token is valid once, for a minute. */
async function reply(request: Request, phone: Phone): Promise<Reply> {
  const fault = badReply(request);
  if (fault) return fault;
  const { json } = request;
  const token = textMember(json, 'replyToken') ?? '';
  const to = personOf(token);
  const sent = sentAs(token, json);
  const isFresh = to !== undefined && phone.now() - to.at <= REPLY_MS;
  if (!isFresh || (await phone.find(vendorIdOf(sent)))) {
    return lineError(400, 'Invalid reply token');
  }
  const content = shownOf(member(json, 'messages', '0'));
  await phone.show(to.address, content, () => vendorIdOf(sent));
  return { status: 200, body: { sentMessages: [sent] } };
}

const MEDIA = {
  image: 'Image',
  video: 'Video',
  audio: 'Audio',
} as const satisfies Record<string, ShownMedia['type']>;

function shownOf(message: unknown): ShownContent {
  const items = listMember(message, 'quickReply', 'items');
  const quick = items.map((item) =>
    Object.assign(buttonOf(member(item, 'action')), { quick: true as const }),
  );
  const token = textMember(message, 'quoteToken');
  const [, quoted] = /^fake-quote-(\d+)$/.exec(token ?? '') ?? [];
  return {
    ...contentOf(message),
    ...(quick.length > 0 && { buttons: quick }),
    ...(quoted !== undefined && { reply_to: `${quoted}:${token}` }),
  };
}

function contentOf(message: unknown): ShownContent {
  const type = textMember(message, 'type') ?? '';
  const written = textMember(message, 'text');
  if (written !== undefined) return { text: written };
  const kind = Object.entries(MEDIA).find(([name]) => name === type)?.[1];
  const url = textMember(message, 'originalContentUrl') ?? '';
  if (kind) return { media: [{ type: kind, url }] };
  if (type === 'template') return { cards: listMember(message, 'template', 'columns').map(cardOf) };
  const [latitude = 0, longitude = 0] = ['latitude', 'longitude'].map((name) =>
    numberMember(message, name),
  );
  return { place: { latitude, longitude, name: textMember(message, 'title') ?? '' } };
}

function cardOf(column: unknown): ShownContent {
  const image = textMember(column, 'thumbnailImageUrl');
  return {
    text: textMember(column, 'text') ?? '',
    ...(image !== undefined && { media: [{ type: 'Image', url: image }] }),
    buttons: listMember(column, 'actions').map(buttonOf),
  };
}

function buttonOf(action: unknown): ShownButton {
  const [label = '', url] = [textMember(action, 'label'), textMember(action, 'uri')];
  return url === undefined ? { label, value: textMember(action, 'data') ?? '' } : { label, url };
}
