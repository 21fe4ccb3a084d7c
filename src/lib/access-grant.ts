import type { Access } from './access-token.ts';
import { type Fetch, type FetchAnswer, FetchFault } from './fetch.ts';
import { member, textMember } from './member.ts';

/** A token; and the refresh token that takes the place of the one that it was asked for with, where one does. */
export interface Grant extends Access {
  refresh?: string;
}

/** Why there is no token. */
export interface Denial {
  detail: string;
  /** The server's own name for the error, or the status. */
  code?: string;
  /** Whether the answer would be the same another time. */
  isLasting: boolean;
}

/**
 * Asks for an access token, with whatever grant the fields say. Never rejects with a FetchFault: whatever goes
 * wrong here, nothing was sent of what the token is for.
 * https://www.rfc-editor.org/rfc/rfc6749#section-4.4.2
 */
export async function askForAccess(
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

/** Refusals that another try may change: RFC 6749, section 4.1.2.1, and what most servers say. */
const PASSING = /^(?:temporarily_unavailable|server_error|slow_down)$/;

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
  // Some add lines of numbers for their own support.
  const [words] = (textMember(json, 'error_description') ?? error ?? `status ${status}`).split(
    /\r?\n/,
    1,
  );
  return {
    detail: `no access token was given: ${words}`,
    code: error ?? String(status),
    // A refusal that is not the server's own may come from something on the way.
    isLasting:
      error !== undefined &&
      status >= 400 &&
      status < 500 &&
      status !== 429 &&
      !PASSING.test(error),
  };
}
