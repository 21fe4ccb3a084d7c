import { type Fetch, type FetchAnswer, FetchFault } from '../http/fetch.ts';
import { member, textMember } from '../json/json-member.ts';
import type { Access } from './access-token.ts';

/** An access token, and a new refresh token if the server rotates refresh tokens. */
export interface Grant extends Access {
  refresh?: string;
}

/** Why the server issued no token. */
export interface Denial {
  detail: string;
  /** The OAuth error code, or the HTTP status if the server sent none. */
  code?: string;
  /** Whether a retry would fail the same way. */
  isLasting: boolean;
}

/**
 * Requests an access token; `fields` select the grant. Turns a FetchFault into a Denial: if the token request fails,
 * the message that needs the token was not sent.
 * https://www.rfc-editor.org/rfc/rfc6749#section-4.4.2
 */
export async function requestAccessToken(
  endpoint: string,
  fields: Readonly<Record<string, string>>,
  fetch: Fetch,
): Promise<Grant | Denial> {
  let answer: FetchAnswer;
  try {
    answer = await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams(fields).toString(),
      isPrivate: true,
    });
  } catch (error) {
    if (!(error instanceof FetchFault)) throw error;
    return { detail: error.message, isLasting: false };
  }
  return accessIn(answer);
}

/** Temporary errors: RFC 6749, section 4.1.2.1, plus a code that many servers add. */
const TEMPORARY = /^(?:temporarily_unavailable|server_error|slow_down)$/;

function accessIn(answer: FetchAnswer): Grant | Denial {
  const { status } = answer;
  const json = answer.json();
  const token = textMember(json, 'access_token');
  if (status === 200 && token !== undefined && /^[\x21-\x7e]+$/.test(token)) {
    const seconds = Number(member(json, 'expires_in') ?? 0);
    const refresh = textMember(json, 'refresh_token');
    return {
      token,
      seconds: Number.isFinite(seconds) ? seconds : 0,
      ...(refresh !== undefined && { refresh }),
    };
  }
  const error = textMember(json, 'error');
  // Some servers append lines of trace ids; keep the first line only.
  const [description] = (
    textMember(json, 'error_description') ??
    error ??
    `status ${status}`
  ).split(/\r?\n/, 1);
  return {
    detail: `no access token issued: ${description}`,
    code: error ?? String(status),
    // Without an OAuth error code, the response may come from a proxy, so it is not final.
    isLasting:
      error !== undefined &&
      status >= 400 &&
      status < 500 &&
      status !== 429 &&
      !TEMPORARY.test(error),
  };
}
