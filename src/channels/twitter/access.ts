import type { Rotated } from '../../lib/crypto/rotated-token.ts';
import type { FetchAnswer, FetchRequest } from '../../lib/http/fetch.ts';
import { member, textMember } from '../../lib/json/json-member.ts';

/* OAuth 2.0 tokens of X. https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token */

/** The characters of keys and tokens; others could not be part of a header. */
export const KEY = /^[\x21-\x7e]{1,1000}$/;

/** A confidential client authenticates with its secret; a public client sends its id. */
export function refreshRequest(
  refresh: string,
  { id, secret }: { id: string; secret: string | undefined },
): FetchRequest {
  const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refresh });
  const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' };
  if (secret === undefined) form.set('client_id', id);
  else headers['authorization'] = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  return { method: 'POST', headers, body: form.toString(), isPrivate: true };
}

const DEFAULT_LIFETIME_SECONDS = 7200;

/** The next access and refresh tokens; undefined when the response has none. */
export function rotatedIn(answer: FetchAnswer, previous: string): Rotated | undefined {
  const json = answer.json();
  const token = textMember(json, 'access_token');
  if (answer.status !== 200 || token === undefined || !KEY.test(token)) return undefined;
  const seconds = Number(member(json, 'expires_in') ?? DEFAULT_LIFETIME_SECONDS);
  return { token, refresh: textMember(json, 'refresh_token') ?? previous, seconds };
}
