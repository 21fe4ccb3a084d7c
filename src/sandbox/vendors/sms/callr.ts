import { createHmac } from 'node:crypto';

import { integerMember, listMember, member, textMember } from '../../../lib/json/json-member.ts';
import { SANDBOX_URL } from '../../../model/sandbox/sandbox-url.ts';
import type { Phone } from '../../phone.ts';
import type { ReportContext, Simulator, WebhookRequest } from '../../simulator.ts';
import type { Reply, Request } from '../../wire/request.ts';
import { fieldNamesIn } from '../../wire/shape.ts';

/*
 * CALLR's JSON-RPC 2.0 API, at least as strict as documented. https://www.callr.com/docs/ and
 * https://www.jsonrpc.org/specification
 */
export const LOGIN = 'acme_1';
export const PASSWORD = 'fake password: of a user';
export const KEY = 'fake-api-key-of-a-user';

export const callrError = (code: number, message: string): Reply => ({
  status: 200,
  body: { jsonrpc: '2.0', id: 1, error: { code, message, data: null } },
});

const result = (id: string, value: unknown): Reply => ({
  status: 200,
  body: { jsonrpc: '2.0', id: Number(id), result: value },
});

const hashOf = (number: number) => `SMS${String(number).padStart(5, '0')}`;

export const callr: Simulator = {
  channel: 'callr',
  limits: { none: 'CALLR documents no rate' },
  credentials: { token: LOGIN, secret: PASSWORD, refresh: 'fake-hmac-secret' },
  people: [
    { address: '+33639981234', name: 'Ada Example' },
    { address: '+33639981235', name: 'Grace Example' },
  ],
  magicAddress: (number) => `+15005550${number}`,
  receipts: ['delivered', 'failed'],

  recipientOf({ json }) {
    const [, to] = listMember(json, 'params');
    return textMember(json, 'method') === 'sms.send' && typeof to === 'string' ? to : undefined;
  },

  async respond(request, phone) {
    const { method, path, headers, json } = request;
    if (method !== 'POST' || path !== '/') return { status: 404, body: 'SIMULATOR' };
    if (!isAuthenticated(request)) return { status: 401, body: 'Unauthorized' };
    if (headers['content-type'] !== 'application/json-rpc; charset=utf-8') {
      return callrError(-32_600, 'SIMULATOR: content type');
    }
    const id = integerMember(json, 'id');
    const params = member(json, 'params');
    const names = Object.keys(json ?? {}).toSorted();
    if (names.join() !== 'id,jsonrpc,method,params' || textMember(json, 'jsonrpc') !== '2.0') {
      return callrError(-32_600, 'Invalid Request');
    }
    if (id === undefined || !Array.isArray(params)) return callrError(-32_600, 'Invalid Request');
    const name = textMember(json, 'method');
    if (name === 'webhooks.get_event_types') return result(id, [{ type: 'sms.mo' }]);
    if (name === 'webhooks.subscribe') return badHook(params) ?? result(id, { hash: 'HOOK1' });
    if (name !== 'sms.send') return callrError(-32_601, 'Method not found');
    return badSms(params) ?? result(id, await send(params, phone));
  },

  refusals: {
    blocked: () => callrError(153, 'Recipient is blacklisted'),
    unknown: () => callrError(151, 'Invalid phone number'),
    limited: (seconds) => ({
      status: 429,
      headers: { 'retry-after': String(seconds) },
      body: 'Too Many Requests',
    }),
    credentials: () => ({ status: 401, body: 'Unauthorized' }),
  },

  reports: {
    message({ person, text, media }, context) {
      const hash = hashOf(context.number);
      // SMS has no files.
      const link = media && `${SANDBOX_URL}/${encodeURIComponent(media.file.name)}`;
      const words = [text, link].filter((each) => each !== undefined).join('\n');
      const data = { hash, from: person.address, to: '+33123456789', text: words };
      return { ...signed('sms.mo', data, context), id: hash };
    },

    receipt({ message: { vendorId: hash, person: to }, state }, context) {
      const failed = { status: 'FAILED', error: 'Handset unreachable' };
      const status = state === 'failed' ? failed : { status: 'RECEIVED' };
      return signed('sms.mt.status_update', { hash, to, ...status }, context);
    },
  },
};

async function send([, to, body]: readonly unknown[], phone: Phone): Promise<string> {
  const { vendorId } = await phone.show(String(to), { text: String(body) }, hashOf);
  return vendorId;
}

function isAuthenticated({ headers }: Request): boolean {
  const basic = Buffer.from(`${LOGIN}:${PASSWORD}`).toString('base64');
  return [`Basic ${basic}`, `Api-Key ${KEY}`].includes(headers['authorization'] ?? '');
}

function badHook([type, endpoint, options, ...others]: readonly unknown[]): Reply | undefined {
  const isUrl = typeof endpoint === 'string' && /^https?:\/\//.test(endpoint);
  const isSecret = (textMember(options, 'hmac_secret') ?? '').length >= 8;
  const isAlone = fieldNamesIn(options).join() === 'hmac_secret' && others.length === 0;
  if (!isUrl || !isSecret || !isAlone) return callrError(-32_602, 'Invalid params');
  const isKnownType = type === 'sms.mo' || type === 'sms.mt.status_update';
  return isKnownType ? undefined : callrError(-32_602, 'Unknown event type');
}

function badSms([from, to, body, options, ...others]: readonly unknown[]): Reply | undefined {
  const nature = textMember(options, 'nature') ?? 'ALERTING';
  const isNature = nature === 'ALERTING' || nature === 'MARKETING';
  const unknown = fieldNamesIn(options).filter((name) => name !== 'nature');
  if (others.length > 0 || !isNature || unknown.length > 0) {
    return callrError(-32_602, 'Invalid params');
  }
  if (typeof from !== 'string' || typeof to !== 'string' || typeof body !== 'string') {
    return callrError(-32_602, 'Invalid params');
  }
  if (!['', 'SMS', 'Acme'].includes(from)) return callrError(115, 'Sender not authorized');
  if (!/^\+[1-9]\d{4,14}$/.test(to)) return callrError(151, 'Invalid phone number');
  return body.trim() === '' ? callrError(152, 'Empty text') : undefined;
}

/** https://www.callr.com/docs/webhooks/ */
function signed(type: string, data: object, { credentials, now }: ReportContext): WebhookRequest {
  const body = JSON.stringify({ type, event_at: new Date(now).toISOString(), data });
  const signature = createHmac('sha256', credentials.refresh ?? '')
    .update(body)
    .digest('base64');
  return {
    headers: { 'content-type': 'application/json', 'x-callr-hmacsignature': signature },
    body,
  };
}
