import { listMember, member, textMember } from '../../../lib/json/json-member.ts';
import type { Phone } from '../../phone.ts';
import type { Simulator } from '../../simulator.ts';
import type { Reply, Request } from '../../wire/request.ts';
import { fieldNamesIn } from '../../wire/shape.ts';
import { ACCOUNT, IMAGE_HOST, VIDEO_HOST, activities, idOf } from './activities.ts';
import { answerMedia, shownMedia } from './media.ts';
import { KEYS, isSigned } from './oauth.ts';
import { invalid, problem, tooManyRequests } from './problem.ts';

/*
 * X's direct message API, at least as strict as documented.
 * https://docs.x.com/x-api/direct-messages/manage/integrate
 */

/** The app-only token, which has no user. */
export const APP_TOKEN = 'fake-app-token';

const SEND = /^\/2\/dm_conversations\/with\/(\d{1,19})\/messages$/;

const personIn = ({ method, path }: Request) =>
  method === 'POST' ? SEND.exec(path)?.[1] : undefined;

export const unauthorized = () => problem(401, 'about:blank', 'Unauthorized');

export const twitter: Simulator = {
  channel: 'twitter',
  credentials: KEYS,
  hosts: [IMAGE_HOST, VIDEO_HOST],
  people: [
    { address: '2244994945', name: 'Ada Example' },
    { address: '2244994946', name: 'Grace Example' },
  ],
  magicAddress: (number) => `900000${number}`,
  receipts: ['read'],
  recipientOf: personIn,

  async respond(request, phone) {
    const [, video] = /^https:\/\/video\.twimg\.com\/dm_video\/(\w+)$/.exec(request.path) ?? [];
    if (video !== undefined) return download(video, phone);
    const appReply = await answerApp(request, phone);
    if (appReply) return appReply;
    return isSigned(request, phone.now()) ? answerUser(request, phone) : unauthorized();
  },

  refusals: {
    blocked: () => problem(403, 'about:blank', 'You cannot send messages to this user.'),
    unknown: () => problem(404, 'resource-not-found', 'Could not find user'),
    limited: () => problem(429, 'about:blank', 'Too Many Requests'),
    credentials: () => unauthorized(),
  },

  /** https://docs.x.com/x-api/fundamentals/rate-limits */
  limits: [
    {
      count: 15,
      seconds: 15 * 60,
      per: 'account',
      refuse: (seconds, now) => tooManyRequests('x-rate-limit', 15, seconds, now),
    },
    {
      count: 1_440,
      seconds: 24 * 60 * 60,
      per: 'account',
      refuse: (seconds, now) => tooManyRequests('x-user-limit-24hour', 1_440, seconds, now),
    },
  ],
  reports: activities,
};

/** Answers a request that is signed with the user's token. */
export async function answerUser(request: Request, phone: Phone): Promise<Reply> {
  const { method, path } = request;
  const [, image] = /^https:\/\/ton\.x\.com\/1\.1\/ton\/data\/dm\/(\w+)$/.exec(path) ?? [];
  if (image !== undefined) return download(image, phone);
  const mediaReply = await answerMedia(request, phone);
  if (mediaReply) return mediaReply;
  const [, hook] = /^\/2\/account_activity\/webhooks\/(\d+)\/subscriptions\/all$/.exec(path) ?? [];
  if (method === 'POST' && hook !== undefined) return subscribe(hook, phone);
  const person = personIn(request);
  if (person !== undefined) return send(request, person, phone);
  const [, event] = /^\/2\/dm_events\/(\d{1,19})$/.exec(path) ?? [];
  if (method === 'DELETE' && event !== undefined) return remove(event, phone);
  if (method === 'GET' && path === '/2/users/me') {
    return { status: 200, body: { data: { id: ACCOUNT, name: 'Ada', username: 'ada' } } };
  }
  return problem(404, 'about:blank', `SIMULATOR: ${method} ${path}`);
}

async function send(request: Request, person: string, phone: Phone): Promise<Reply> {
  const { json } = request;
  const [attachment] = listMember(json, 'attachments');
  const media = await shownMedia(textMember(attachment, 'media_id') ?? '', phone);
  const fault = badMessage(request, media !== undefined);
  if (fault) return fault;
  const text = textMember(json, 'text');
  const content = { ...(media && { media: [media] }), ...(text !== undefined && { text }) };
  const { vendorId } = await phone.show(person, content, (number) => idOf(number, phone.now()));
  const data = { dm_conversation_id: `${ACCOUNT}-${person}`, dm_event_id: vendorId };
  return { status: 201, body: { data } };
}

function badMessage({ json, headers }: Request, hasMedia: boolean): Reply | undefined {
  if (headers['content-type'] !== 'application/json') return invalid('SIMULATOR: no JSON');
  if (typeof json !== 'object' || json === null) return invalid('SIMULATOR: no object');
  const unknown = Object.keys(json).find((field) => field !== 'text' && field !== 'attachments');
  if (unknown !== undefined) return invalid(`SIMULATOR: ${unknown}`);
  const attachments = member(json, 'attachments');
  if (attachments !== undefined) {
    const isOne = Array.isArray(attachments) && attachments.length === 1;
    if (!isOne || !hasMedia) return invalid('SIMULATOR: no such media');
    if (member(json, 'text') === undefined) return undefined;
  }
  const text = textMember(json, 'text') ?? '';
  if (text.trim() === '') return invalid('text must not be empty');
  return text.length > 10_000 ? invalid('text is too long') : undefined;
}

async function remove(event: string, phone: Phone): Promise<Reply> {
  const found = await phone.find(event);
  if (!found) return problem(404, 'resource-not-found', 'Could not find event');
  await phone.remove(found);
  return { status: 200, body: { data: { deleted: true } } };
}

async function download(id: string, phone: Phone): Promise<Reply> {
  const file = await phone.file(id);
  if (!file) return problem(404, 'resource-not-found', 'Could not find media');
  return { status: 200, headers: { 'content-type': file.mediaType }, body: file.bytes };
}

const HOOK = '1146654567674912769';

const hookAt = (url: string) => ({ id: HOOK, url, valid: true, created_at: '2025-02-03' });

/** The webhook and its subscription are files of the phone. */
const keep = (phone: Phone, id: string, text: string) =>
  phone.putFile({ id, name: id, mediaType: 'text/plain', bytes: Buffer.from(text) });

/** Answers the requests of the app, for its token and its webhook; undefined for other requests. */
export async function answerApp(request: Request, phone: Phone): Promise<Reply | undefined> {
  const { method, path, headers, text, json } = request;
  if (method === 'POST' && path === '/oauth2/token') {
    const pair = [KEYS.consumer_key, KEYS.consumer_secret].map(encodeURIComponent).join(':');
    const basic = `Basic ${Buffer.from(pair).toString('base64')}`;
    const isApp = headers['authorization'] === basic && text === 'grant_type=client_credentials';
    if (!isApp) return problem(403, 'client-forbidden', 'Unable to verify your credentials');
    return { status: 200, body: { token_type: 'bearer', access_token: APP_TOKEN } };
  }
  if (path !== '/2/webhooks') return undefined;
  if (headers['authorization'] !== `Bearer ${APP_TOKEN}`) return unauthorized();
  const registered = (await phone.file('webhook'))?.bytes.toString();
  if (method === 'GET') {
    const data = registered === undefined ? [] : [hookAt(registered)];
    return { status: 200, body: { data, meta: {} } };
  }
  const url = textMember(json, 'url') ?? '';
  if (fieldNamesIn(json).join() !== 'url' || !/^https:\/\/[^/:]+\//.test(url)) {
    return invalid('CrcValidationFailed: not an address');
  }
  if (registered === url) return invalid('DuplicateUrlFailed: Webhook URL already exists');
  await keep(phone, 'webhook', url);
  return { status: 200, body: { data: hookAt(url) } };
}

async function subscribe(id: string, phone: Phone): Promise<Reply> {
  if (id !== HOOK || !(await phone.file('webhook'))) {
    return problem(404, 'resource-not-found', 'No hook');
  }
  if (await phone.file('subscribed')) {
    return problem(409, 'invalid-request', 'Subscription already exists');
  }
  await keep(phone, 'subscribed', id);
  return { status: 200, body: { data: { subscribed: true } } };
}
