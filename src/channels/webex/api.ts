import type { FetchAnswer, FetchRequest } from '../../lib/http/fetch.ts';
import type { multipart } from '../../lib/http/multipart.ts';
import { textMember } from '../../lib/json/json-member.ts';
import type { Context } from '../channel.ts';
import { failureClassifier } from '../http-failure.ts';

/** A JSON object or a multipart form. */
export type Body = object | ReturnType<typeof multipart>;

export const TOKEN = /^[\x21-\x7e]{1,500}$/;

/** Responses repeat the text up to three times, and the card. */
const MAX_RESPONSE_BYTES = 256 * 1024;

/** Undefined when the token contains characters that headers cannot hold. */
export async function call(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body: Body | undefined,
  { credentials: { token = '' }, url, fetch }: Pick<Context, 'credentials' | 'url' | 'fetch'>,
): Promise<FetchAnswer | undefined> {
  if (!TOKEN.test(token)) return undefined;
  const { headers, ...rest } = written(body);
  return fetch(`${url}/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
    maxBytes: MAX_RESPONSE_BYTES,
    ...rest,
  });
}

function written(body: Body | undefined): FetchRequest {
  if (!body || 'headers' in body) return body ?? {};
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** Classifies a failed response. Webex has no error codes. https://developer.webex.com/docs/basics#api-errors */
export const classifyFailure = failureClassifier({
  vendor: 'Webex',
  malformed: 'invalid bot access token',
  read(answer) {
    const json = answer.json();
    const message = textMember(json, 'errors', '0', 'description') ?? textMember(json, 'message');
    return { message, isVendorFormat: textMember(json, 'trackingId') !== undefined };
  },
  rateLimit({ status }) {
    if (status === 429) return 'integration';
    // The room or file is locked for now.
    return status === 423 ? 'message' : undefined;
  },
  blame({ status }) {
    if (status === 401) return 'credentials';
    // The bot is not in the room, or there is no such room or person.
    return status === 403 || status === 404 ? 'recipient' : 'content';
  },
});

/** At most 254 characters, RFC 5321, section 4.5.3.1. */
export const EMAIL = /^(?=.{3,254}$)[^\s@<>"(),:;\\]+@[^\s@<>"(),:;\\]+$/;

const ID = /^[A-Za-z0-9+/_-]{10,500}={0,2}$/;

/** The kind of object that an id names, such as `ROOM`; undefined if it is not an id. */
export function kindOf(id: string): string | undefined {
  if (!ID.test(id)) return undefined;
  const uri = Buffer.from(id, 'base64').toString('latin1');
  return /^ciscospark:\/\/[^/]+\/([A-Z_]+)\/[!-~]+$/.exec(uri)?.[1];
}
