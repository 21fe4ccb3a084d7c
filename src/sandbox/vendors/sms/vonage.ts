import { createHash, createHmac, verify } from 'node:crypto';

import { member, numberMember, textMember } from '../../../lib/json/json-member.ts';
import { parseJson } from '../../../lib/json/parse-json.ts';
import { gsmLength } from '../../../lib/text/gsm.ts';
import type { Millis } from '../../../model/timestamp.ts';
import type { Phone } from '../../phone.ts';
import type { ShownContent, ShownMedia } from '../../shown.ts';
import type { ReportContext, Simulator, WebhookRequest, WrittenMessage } from '../../simulator.ts';
import type { Reply, Request } from '../../wire/request.ts';
import {
  type Shape,
  link,
  literal,
  number,
  object,
  oneOf,
  text as textOf,
} from '../../wire/shape.ts';
import { FAKE_PRIVATE_KEY, FAKE_PUBLIC_KEY } from '../fake-key.ts';
import { readSimpleMarkup } from '../simple-markup.ts';
import { isOutsideWindow } from '../window.ts';

/*
 * Vonage's two SMS APIs, at least as strict as documented: fields that Vonage would silently ignore are refused.
 * https://developer.vonage.com/en/api/messages and …/sms
 */
export const API_KEY = 'abcd1234';
export const API_SECRET = 'fake-api-secret';
export const APPLICATION = '78d335fa-323d-0114-9c3d-d6f0d48968cf';
export const SENDERS = ['447700900009', 'AcmeInc'] as const;

/** Never writes on WhatsApp, so the window for free text is closed. */
const SILENT = 'whatsapp:447700900099';
const MEDIA_HOST = 'api-us.nexmo.com';

/** A Messages API error. */
export function problem(status: number, code: string, title: string, headers?: object): Reply {
  return {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
    body: {
      type: `https://developer.vonage.com/api-errors/messages#${code}`,
      title,
      detail: 'Details',
      instance: 'bf0ca0bf927b3b52e3cb03217e1a1ddf',
    },
  };
}

type PartStatus = readonly [status: string, text?: string];

/** An SMS API response: a status for each part of a text. */
export const statuses = (parts: readonly PartStatus[], to = '', first = 1): Reply => ({
  status: 200,
  body: {
    'message-count': String(parts.length),
    messages: parts.map(([status, text], i) =>
      status === '0'
        ? { to, 'message-id': smsId(first, i), status, 'remaining-balance': '3.14' }
        : { status, 'error-text': text ?? `error ${status}` },
    ),
  },
});

const refused = (...part: PartStatus) => statuses([part]);

const smsId = (message: number, part = 0) =>
  `0A000000012300${message}${part === 0 ? '' : `P${part}`}`;
const uuidOf = (message: number) => `aaaaaaaa-bbbb-cccc-dddd-${String(message).padStart(12, '0')}`;

/** The prefixes of addresses, by network. */
const PREFIXES: Readonly<Record<string, string>> = {
  whatsapp: 'whatsapp:',
  viber_service: 'viber:',
  rcs: 'rcs:',
};

export const vonage: Simulator = {
  channel: 'vonage',
  credentials: {
    consumer_key: APPLICATION,
    consumer_secret: FAKE_PRIVATE_KEY,
    username: SENDERS[0],
    refresh: 'fake-signature-secret-of-32-characters',
  },
  hosts: [MEDIA_HOST],
  people: [
    { address: '447700900000', name: 'Ada Example' },
    { address: '447700900002', name: 'Grace Example' },
    { address: 'whatsapp:447700900000', name: 'Ada on WhatsApp' },
    { address: SILENT, name: 'Silent on WhatsApp' },
  ],
  hasPlaces: (address) => address.startsWith(PREFIXES['whatsapp'] ?? ''),
  magicAddress: (digits) => `15005550${digits}`,

  recipientOf({ method, path, json, form }) {
    if (method !== 'POST') return undefined;
    if (path === '/sms/json') return form?.['to'];
    const to = textMember(json, 'to');
    return path === '/v1/messages' && to !== undefined ? addressOf(json, to) : undefined;
  },

  async respond(request, phone) {
    const { method, path, headers } = request;
    const [, file] = /^https:\/\/api-us\.nexmo\.com\/v3\/media\/(\w+)$/.exec(path) ?? [];
    if (file !== undefined) return download(file, request, phone);
    if (method === 'POST' && path === '/v1/messages') return post(request, phone);
    if (method === 'POST' && path === '/sms/json') return sms(request, phone);
    if (method === 'GET' && path === '/account/get-balance') {
      const basic = Buffer.from(`${API_KEY}:${API_SECRET}`).toString('base64');
      return headers['authorization'] === `Basic ${basic}`
        ? { status: 200, body: { value: 10.28, autoReload: false } }
        : {
            status: 401,
            body: { 'error-code': '401', 'error-code-label': 'authentication failed' },
          };
    }
    return { status: 404, body: `SIMULATOR: ${method} ${path}` };
  },

  refusals: {
    blocked: () => problem(422, '1050', 'Number barred'),
    unknown: () => problem(422, '1170', 'Invalid recipient'),
    limited: (seconds) =>
      problem(429, '1000', 'Rate Limit Hit', { 'retry-after': String(seconds) }),
    credentials: () => UNAUTHORIZED,
  },

  /** https://developer.vonage.com/en/messaging/sms/guides/throughput-limits */
  limits: [{ count: 30, seconds: 1, per: 'account' }],
  reports: {
    message(written, context) {
      const { person, replyTo } = written;
      const { network, number: from } = placeOf(person.address, written.media !== undefined);
      const isWhatsApp = network === 'whatsapp';
      const id = uuidOf(context.number);
      const message = {
        channel: network,
        message_uuid: id,
        to: SENDERS[0],
        from,
        timestamp: new Date(context.now).toISOString(),
        ...writtenContent(written),
        ...(isWhatsApp && { profile: { name: person.name } }),
        ...(isWhatsApp &&
          replyTo && { context: { message_uuid: replyTo.vendorId, message_from: SENDERS[0] } }),
      };
      return { ...signed(message, context), id };
    },

    receipt({ message, state }, context) {
      const { network, number: to } = placeOf(message.person, false);
      const report = {
        message_uuid: message.vendorId,
        to,
        from: SENDERS[0],
        timestamp: new Date(context.now).toISOString(),
        status: state === 'failed' ? 'undeliverable' : state,
        channel: network,
        ...(state === 'failed' && {
          error: {
            type: 'https://developer.vonage.com/api-errors/messages#1020',
            title: 1020,
            detail: 'The handset is unreachable',
            instance: uuidOf(context.number),
          },
        }),
      };
      return signed(report, context);
    },
  },
};

const UNAUTHORIZED = problem(401, 'unauthorized', 'You did not provide correct credentials.');

function addressOf(json: unknown, to: string): string {
  return `${PREFIXES[textMember(json, 'channel') ?? ''] ?? ''}${to}`;
}

/** The network of an address, and the number there. Files arrive from a phone by MMS. */
function placeOf(address: string, hasMedia: boolean): { network: string; number: string } {
  const [network, prefix = ''] =
    Object.entries(PREFIXES).find(([, each]) => address.startsWith(each)) ?? [];
  const sentBy = network ?? (hasMedia ? 'mms' : 'sms');
  return { network: sentBy, number: address.slice(prefix.length) };
}

async function post(request: Request, phone: Phone): Promise<Reply> {
  if (!isSigned(request, phone.now())) return UNAUTHORIZED;
  const { json, headers } = request;
  if (headers['content-type'] !== 'application/json') {
    return problem(415, 'SIMULATOR', 'SIMULATOR: the body is not JSON');
  }
  const fault = badMessage(json);
  if (fault) return fault;
  const to = addressOf(json, textMember(json, 'to') ?? '');
  const isWhatsApp = textMember(json, 'channel') === 'whatsapp';
  if (isWhatsApp && (await isOutsideWindow(to, phone, [SILENT]))) {
    return problem(422, '1340', 'Outside of the allowed window');
  }
  const { vendorId } = await phone.show(to, shownOf(json), (count) => uuidOf(count));
  return { status: 202, body: { message_uuid: vendorId } };
}

/** The claims of a request's token; undefined if it is none. */
export function claimsOf({ headers }: Request): object | undefined {
  const [, claims = ''] = (headers['authorization'] ?? '').split('.');
  return decoded(claims);
}

function decoded(part: string): object | undefined {
  try {
    const json = parseJson(Buffer.from(part, 'base64url').toString());
    return typeof json === 'object' && json !== null ? json : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the token is the application's and valid now. Tests also check that it was not used before. */
function isSigned(request: Request, now: Millis): boolean {
  const [scheme, token = ''] = (request.headers['authorization'] ?? '').split(' ');
  const [head = '', claims = '', signature = ''] = token.split('.');
  const input = Buffer.from(`${head}.${claims}`);
  const isVerified = verify('sha256', input, FAKE_PUBLIC_KEY, Buffer.from(signature, 'base64url'));
  if (scheme !== 'Bearer' || !isVerified) return false;
  const claimed = claimsOf(request);
  const [iat, exp] = [numberMember(claimed, 'iat'), numberMember(claimed, 'exp')];
  if (iat === undefined || exp === undefined || textMember(claimed, 'jti') === undefined) {
    return false;
  }
  const isTimely = iat <= now / 1000 + 1 && exp > now / 1000 && exp - iat <= 24 * 3600;
  const isRs256 = textMember(decoded(head), 'alg') === 'RS256';
  return isTimely && isRs256 && textMember(claimed, 'application_id') === APPLICATION;
}

const COMMON = {
  to: textOf(15),
  from: textOf(20),
  'webhook_url?': link,
  'webhook_version?': literal('v1'),
};
const messageOf = (channel: string, type: string, content: Record<string, Shape>): Shape =>
  object({ ...COMMON, channel: literal(channel), message_type: literal(type), ...content });
const media = (channel: string, type: string, more: Record<string, Shape> = {}): Shape =>
  messageOf(channel, type, { [type]: object({ url: link, ...more }) });

const between =
  (min: number, max: number): Shape =>
  (value, at) =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max ? undefined : at;
const VIBER = { 'viber_service?': object({ ttl: between(30, 259_200) }) };

const MESSAGE = oneOf(
  messageOf('sms', 'text', { text: textOf(1000), 'ttl?': between(20, 604_800) }),
  messageOf('viber_service', 'text', { text: textOf(1000), ...VIBER }),
  ...Object.entries({ whatsapp: 4096, rcs: 3072 }).map(([channel, maxLength]) =>
    messageOf(channel, 'text', { text: textOf(maxLength) }),
  ),
  ...['mms', 'whatsapp', 'viber_service', 'rcs'].map((channel) => media(channel, 'image')),
  ...['mms', 'whatsapp', 'rcs'].map((channel) => media(channel, 'video')),
  ...['mms', 'whatsapp'].map((channel) => media(channel, 'audio')),
  media('whatsapp', 'file', { 'name?': textOf(200) }),
  media('viber_service', 'file', { 'name?': textOf(25) }),
  media('rcs', 'file'),
  messageOf('whatsapp', 'location', {
    location: object({ lat: number, long: number, 'name?': textOf(200) }),
  }),
);

function badMessage(json: unknown): Reply | undefined {
  if (typeof json !== 'object' || json === null) {
    return problem(422, 'invalid-json', 'The request body did not contain valid JSON');
  }
  if (!('message_type' in json)) return problem(422, '1010', 'Missing params');
  if (textMember(json, 'text') === '') return problem(422, '1010', 'Missing params');
  const [to = '', from = ''] = [textMember(json, 'to'), textMember(json, 'from')];
  if (!/^\d{7,15}$/.test(to)) return problem(422, '1170', 'Invalid recipient');
  if (!isSender(from)) return problem(422, '1120', 'Invalid sender');
  const fault = MESSAGE(json, 'request');
  return fault === undefined ? undefined : problem(422, '1020', `Invalid params: ${fault}`);
}

const isSender = (from: string) => SENDERS.some((sender) => sender === from);

const KINDS = {
  image: 'Image',
  video: 'Video',
  audio: 'Audio',
  file: 'Document',
} as const satisfies Record<string, ShownMedia['type']>;

function shownOf(json: unknown): ShownContent {
  const type = textMember(json, 'message_type') ?? '';
  const written = textMember(json, 'text');
  if (written !== undefined) {
    return textMember(json, 'channel') === 'whatsapp'
      ? readSimpleMarkup(written)
      : { text: written };
  }
  const content = member(json, type);
  const name = textMember(content, 'name');
  const named = name === undefined ? {} : { name };
  const kind = Object.entries(KINDS).find(([each]) => each === type)?.[1];
  if (kind) return { media: [{ type: kind, url: textMember(content, 'url') ?? '', ...named }] };
  const [latitude = 0, longitude = 0] = [
    numberMember(content, 'lat'),
    numberMember(content, 'long'),
  ];
  return { place: { latitude, longitude, ...named } };
}

const FORM = ['api_key', 'api_secret', 'from', 'to', 'text', 'type'];

async function sms({ form }: Request, phone: Phone): Promise<Reply> {
  const fault = badSms(form);
  if (fault) return fault;
  const { to = '', text = '' } = form ?? {};
  const { number: first } = await phone.show(to, { text }, (count) => smsId(count));
  const count = text.length > 160 ? Math.ceil(text.length / 153) : 1;
  return statuses(
    Array.from({ length: count }, () => ['0'] as const),
    to,
    first,
  );
}

function badSms(form: Request['form']): Reply | undefined {
  if (!form) return refused('2', 'Missing api_key');
  const unknown = Object.keys(form).find((field) => ![...FORM, 'callback', 'ttl'].includes(field));
  if (unknown !== undefined) return refused('3', `SIMULATOR: unknown field ${unknown}`);
  const missing = FORM.find((field) => form[field] === undefined || form[field] === '');
  if (missing !== undefined) return refused('2', `Missing ${missing} param`);
  const { api_key, api_secret, from = '', to = '', text = '', type } = form;
  if (api_key !== API_KEY || api_secret !== API_SECRET) return refused('4', 'Bad Credentials');
  if (!/^\d{7,15}$/.test(to)) return refused('34', 'Invalid or Missing Msisdn Param');
  if (!isSender(from)) return refused('15', 'Illegal Sender Address - rejected');
  if (type !== (gsmLength(text) === undefined ? 'unicode' : 'text')) {
    return refused('3', 'SIMULATOR: the type does not fit the text');
  }
  const milliseconds = Number(form['ttl'] ?? 20_000);
  const isTtl = milliseconds >= 20_000 && milliseconds <= 604_800_000;
  return isTtl ? undefined : refused('3', 'Invalid value for ttl');
}

async function download(id: string, request: Request, phone: Phone): Promise<Reply> {
  if (!isSigned(request, phone.now())) return UNAUTHORIZED;
  const file = await phone.file(id);
  if (!file) return { status: 404, body: 'Not Found' };
  return { status: 200, headers: { 'content-type': file.mediaType }, body: file.bytes };
}

/** https://developer.vonage.com/en/api/messages#inbound-message */
function writtenContent({ text, media: sent, place }: WrittenMessage): object {
  if (sent) {
    const { id, name } = sent.file;
    const type = Object.entries(KINDS).find(([, shown]) => shown === sent.type)?.[0] ?? 'file';
    const caption = text === undefined ? {} : { caption: text };
    const url = `https://${MEDIA_HOST}/v3/media/${id}`;
    return { message_type: type, [type]: { url, name, ...caption } };
  }
  if (!place) return { message_type: 'text', text };
  const { latitude: lat, longitude: long, name } = place;
  const location = { lat, long, ...(name !== undefined && { name }) };
  return { message_type: 'location', location };
}

/** https://developer.vonage.com/en/getting-started/concepts/webhooks#decoding-signed-webhooks */
function signed(json: object, { credentials, now, number: count }: ReportContext): WebhookRequest {
  const body = JSON.stringify(json);
  const claims = {
    iat: Math.floor(now / 1000),
    jti: uuidOf(count),
    iss: 'Vonage',
    payload_hash: createHash('sha256').update(body).digest('hex'),
    api_key: API_KEY,
    application_id: APPLICATION,
  };
  const [head, payload] = [{ alg: 'HS256', typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const input = `${head}.${payload}`;
  const signature = createHmac('sha256', credentials.refresh ?? '')
    .update(input)
    .digest('base64url');
  return {
    headers: { 'content-type': 'application/json', authorization: `Bearer ${input}.${signature}` },
    body,
  };
}
