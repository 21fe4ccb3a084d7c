import { integerMember, member, textMember } from '../../../src/lib/json/json-member.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from '../server/http.ts';

/*
 * The parts of CALLR's JSON-RPC 2.0 API that we use, at least as strict as documented. https://www.callr.com/docs/
 * and https://www.jsonrpc.org/specification
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

export async function openCallr(): Promise<HttpPeer> {
  let last = 0;
  return openHttp((request) => {
    const { method, path, headers, json } = request;
    if (method !== 'POST' || path !== '/') return { status: 404, body: 'EMULATOR' };
    if (!isKnown(request)) return { status: 401, body: 'Unauthorized' };
    if (headers['content-type'] !== 'application/json-rpc; charset=utf-8') {
      return callrError(-32_600, 'EMULATOR: content type');
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
    return badSms(params) ?? result(id, `SMS${String(++last).padStart(5, '0')}`);
  });
}

function isKnown({ headers }: Request): boolean {
  const basic = Buffer.from(`${LOGIN}:${PASSWORD}`).toString('base64');
  return [`Basic ${basic}`, `Api-Key ${KEY}`].includes(headers['authorization'] ?? '');
}

function badHook([type, endpoint, options, ...others]: readonly unknown[]): Reply | undefined {
  const isUrl = typeof endpoint === 'string' && /^https?:\/\//.test(endpoint);
  const isSecret = (textMember(options, 'hmac_secret') ?? '').length >= 8;
  const isAlone = Object.keys(Object(options)).join() === 'hmac_secret' && others.length === 0;
  if (!isUrl || !isSecret || !isAlone) return callrError(-32_602, 'Invalid params');
  const isKnownType = type === 'sms.mo' || type === 'sms.mt.status_update';
  return isKnownType ? undefined : callrError(-32_602, 'Unknown event type');
}

function badSms([from, to, body, options, ...others]: readonly unknown[]): Reply | undefined {
  const { nature = 'ALERTING', ...unknown } = Object(options) as Record<string, unknown>;
  const isNature = nature === 'ALERTING' || nature === 'MARKETING';
  if (others.length > 0 || !isNature || Object.keys(unknown).length > 0) {
    return callrError(-32_602, 'Invalid params');
  }
  if (typeof from !== 'string' || typeof to !== 'string' || typeof body !== 'string') {
    return callrError(-32_602, 'Invalid params');
  }
  if (!['', 'SMS', 'Acme'].includes(from)) return callrError(115, 'Sender not authorized');
  if (!/^\+[1-9]\d{4,14}$/.test(to)) return callrError(151, 'Invalid phone number');
  return body.trim() === '' ? callrError(152, 'Empty text') : undefined;
}
