import { generateKeyPairSync, verify } from 'node:crypto';

import { textMember } from '../../../src/lib/json/json-member.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from '../server/http.ts';
import {
  type Shape,
  link,
  literal,
  number,
  object,
  oneOf,
  text as textOf,
} from '../server/shape.ts';

/*
 * The parts of Vonage's two SMS APIs that we use, at least as strict as documented: fields that Vonage would
 * silently ignore are refused. https://developer.vonage.com/en/api/messages and …/sms
 */
export const API_KEY = 'abcd1234';
export const API_SECRET = 'fake-api-secret';
export const APPLICATION = '78d335fa-323d-0114-9c3d-d6f0d48968cf';
export const NUMBERS = { person: '447700900000', barred: '447700900001' } as const;
export const SENDERS = ['447700900009', 'AcmeInc'] as const;

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const PRIVATE_KEY = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

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

/** An SMS API response: a status for each part of a text. */
export const statuses = (
  ...parts: readonly (readonly [status: string, text?: string])[]
): Reply => ({
  status: 200,
  body: {
    'message-count': String(parts.length),
    messages: parts.map(([status, text], i) =>
      status === '0'
        ? { to: NUMBERS.person, 'message-id': idOf(i + 1), status, 'remaining-balance': '3.14' }
        : { status, 'error-text': text ?? `error ${status}` },
    ),
  },
});

const idOf = (part: number) => `0A000000012300${part}`;

export async function openVonage(): Promise<HttpPeer> {
  const used = new Set<string>();
  let last = 0;

  const messages = (request: Request): Reply => {
    if (!isSigned(request, used))
      return problem(401, 'unauthorized', 'You did not provide correct');
    if (request.headers['content-type'] !== 'application/json') {
      return problem(415, 'EMULATOR', 'EMULATOR: this is no JSON');
    }
    const fault = badMessage(request.json);
    if (fault) return fault;
    const message_uuid = `aaaaaaaa-bbbb-cccc-dddd-${String(++last).padStart(12, '0')}`;
    return { status: 202, body: { message_uuid } };
  };

  return openHttp((request) => {
    const { method, path } = request;
    if (method === 'POST' && path === '/v1/messages') return messages(request);
    if (method === 'POST' && path === '/sms/json') return sms(request);
    if (method === 'GET' && path === '/account/get-balance') {
      const basic = Buffer.from(`${API_KEY}:${API_SECRET}`).toString('base64');
      return request.headers['authorization'] === `Basic ${basic}`
        ? { status: 200, body: { value: 10.28, autoReload: false } }
        : {
            status: 401,
            body: { 'error-code': '401', 'error-code-label': 'authentication failed' },
          };
    }
    return { status: 404, body: `EMULATOR: ${method} ${path}` };
  });
}

/** A token is valid for 15 minutes, for one application and for one request. */
function isSigned({ headers }: Request, used: Set<string>): boolean {
  const [scheme, token = ''] = (headers['authorization'] ?? '').split(' ');
  const [head = '', claims = '', signature = ''] = token.split('.');
  const decode = (part: string): unknown =>
    JSON.parse(Buffer.from(part, 'base64url').toString() || '{}');
  const isOwn = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    keys.publicKey,
    Buffer.from(signature, 'base64url'),
  );
  if (scheme !== 'Bearer' || !isOwn) return false;
  const { iat, exp, jti } = decode(claims) as { iat?: number; exp?: number; jti?: string };
  const now = Date.now() / 1000;
  const isTimely = iat !== undefined && exp !== undefined && iat <= now + 1 && exp > now;
  const isNew = jti !== undefined && !used.has(jti);
  if (jti !== undefined) used.add(jti);
  const isValid =
    textMember(decode(head), 'alg') === 'RS256' &&
    textMember(decode(claims), 'application_id') === APPLICATION;
  return isTimely && isNew && isValid && exp - iat <= 24 * 3600;
}

const COMMON = {
  to: textOf(15),
  from: textOf(20),
  'webhook_url?': link,
  'webhook_version?': literal('v1'),
};
const of = (channel: string, type: string, content: Record<string, Shape>): Shape =>
  object({ ...COMMON, channel: literal(channel), message_type: literal(type), ...content });
const media = (channel: string, type: string, more: Record<string, Shape> = {}): Shape =>
  of(channel, type, { [type]: object({ url: link, ...more }) });

const between =
  (min: number, max: number): Shape =>
  (value, at) =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max ? undefined : at;
const VIBER = { 'viber_service?': object({ ttl: between(30, 259_200) }) };

const MESSAGE = oneOf(
  of('sms', 'text', { text: textOf(1000), 'ttl?': between(20, 604_800) }),
  of('viber_service', 'text', { text: textOf(1000), ...VIBER }),
  ...Object.entries({ whatsapp: 4096, rcs: 3072 }).map(([channel, most]) =>
    of(channel, 'text', { text: textOf(most) }),
  ),
  ...['mms', 'whatsapp', 'viber_service', 'rcs'].map((channel) => media(channel, 'image')),
  ...['mms', 'whatsapp', 'rcs'].map((channel) => media(channel, 'video')),
  ...['mms', 'whatsapp'].map((channel) => media(channel, 'audio')),
  media('whatsapp', 'file', { 'name?': textOf(200) }),
  media('viber_service', 'file', { 'name?': textOf(25) }),
  media('rcs', 'file'),
  of('whatsapp', 'location', {
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
  if (to === NUMBERS.barred) return problem(422, '1050', 'Number barred');
  if (!isSender(from)) return problem(422, '1120', 'Invalid sender');
  const fault = MESSAGE(json, 'request');
  return fault === undefined ? undefined : problem(422, '1020', `Invalid params: ${fault}`);
}

const isSender = (from: string) => SENDERS.some((sender) => sender === from);

const FORM = ['api_key', 'api_secret', 'from', 'to', 'text', 'type'];
/** Characters outside the GSM alphabet, as far as the tests use any. */
const FOREIGN = /[\u0400-\uffff]/;

function sms({ form }: Request): Reply {
  if (!form) return statuses(['2', 'Missing api_key']);
  const unknown = Object.keys(form).find((field) => ![...FORM, 'callback', 'ttl'].includes(field));
  if (unknown !== undefined) return statuses(['3', `EMULATOR: unknown field ${unknown}`]);
  const missing = FORM.find((field) => form[field] === undefined || form[field] === '');
  if (missing !== undefined) return statuses(['2', `Missing ${missing} param`]);
  const { api_key, api_secret, from = '', to = '', text = '', type } = form;
  if (api_key !== API_KEY || api_secret !== API_SECRET) return statuses(['4', 'Bad Credentials']);
  if (!/^\d{7,15}$/.test(to)) return statuses(['34', 'Invalid or Missing Msisdn Param']);
  if (to === NUMBERS.barred) return statuses(['7', 'Number barred']);
  if (!isSender(from)) return statuses(['15', 'Illegal Sender Address - rejected']);
  if (type !== (FOREIGN.test(text) ? 'unicode' : 'text')) {
    return statuses(['3', 'EMULATOR: the type does not fit the text']);
  }
  const milliseconds = Number(form['ttl'] ?? 20_000);
  if (!(milliseconds >= 20_000 && milliseconds <= 604_800_000)) {
    return statuses(['3', 'Invalid value for ttl']);
  }
  const parts = text.length > 160 ? Math.ceil(text.length / 153) : 1;
  return statuses(...Array.from({ length: parts }, () => ['0'] as const));
}
