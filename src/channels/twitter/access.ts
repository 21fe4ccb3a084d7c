import type { FetchAnswer, FetchRequest } from '../../lib/fetch.ts';
import { member, textMember } from '../../lib/member.ts';
import type { Rotated } from '../../lib/rotated-token.ts';

/* Tokens of OAuth 2.0 at X. https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token */

/** What keys and tokens are made of: anything else could not be part of a header. */
export const KEY = /^[\x21-\x7e]{1,1000}$/;

/** An app that can keep a secret says it; any other names itself. */
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

const TWO_HOURS = 7200;

/** The next token, and what renews it; undefined when none was given. */
export function rotatedIn(answer: FetchAnswer, before: string): Rotated | undefined {
  const json = answer.json();
  const token = textMember(json, 'access_token');
  if (answer.status !== 200 || token === undefined || !KEY.test(token)) return undefined;
  const seconds = Number(member(json, 'expires_in') ?? TWO_HOURS);
  return { token, refresh: textMember(json, 'refresh_token') ?? before, seconds };
}
