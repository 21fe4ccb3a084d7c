import { SessionEnded, Unreachable, readProblem } from './problem.ts';

/*
 * The API token. It lasts a few minutes and is kept in memory only; the session cookie, which no script can read,
 * obtains the next one.
 */

interface Held {
  token: string;
  /** Local clock, in milliseconds. */
  until: number;
}

/** A token is replaced this long before it expires, in milliseconds. */
const MARGIN = 30_000;

let held: Held | undefined;
let asking: Promise<Held> | undefined;
let whenEnded: () => void = () => {};

export function onSessionEnd(listener: () => void): void {
  whenEnded = listener;
}

export function forgetToken(): void {
  held = undefined;
  asking = undefined;
}

export async function currentToken(): Promise<string> {
  if (held && held.until - MARGIN > Date.now()) return held.token;
  asking ??= ask().finally(() => (asking = undefined));
  held = await asking;
  return held.token;
}

/** Calls under /console/, which are authenticated by the cookie. */
export async function sessionCall(method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`/console${path}`, {
    method,
    credentials: 'same-origin',
    headers: {
      accept: 'application/json',
      ...(method !== 'GET' && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Unreachable();
  });
  if (!response.ok) throw await readProblem(response);
  if (response.status === 204) return undefined;
  return response.json();
}

export function sessionEnded(): SessionEnded {
  forgetToken();
  whenEnded();
  return new SessionEnded();
}

async function ask(): Promise<Held> {
  const began = Date.now();
  let answer: { token: string; expires_at: string };
  try {
    answer = (await sessionCall('POST', '/token', {})) as typeof answer;
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === 401) throw sessionEnded();
    throw error;
  }
  // Computed from the token's lifetime, because the local clock may be wrong.
  const { iat, exp } = claimsOf(answer.token);
  const lasts = iat === undefined || exp === undefined ? undefined : (exp - iat) * 1000;
  return {
    token: answer.token,
    until: lasts === undefined ? Date.parse(`${answer.expires_at}Z`) : began + lasts,
  };
}

function claimsOf(token: string): { iat?: number; exp?: number } {
  const [, claims = ''] = token.split('.');
  const text = atob(claims.replaceAll('-', '+').replaceAll('_', '/'));
  return JSON.parse(text) as { iat?: number; exp?: number };
}
