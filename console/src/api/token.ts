import { SessionEnded, Unreachable, readProblem } from './problem.ts';

/*
 * The API token. It lasts a few minutes and is kept in memory only; the session cookie, which no script can read,
 * obtains the next one.
 */

interface CachedToken {
  token: string;
  /** Local clock, in milliseconds. */
  expiresAt: number;
}

/** A token is replaced this long before it expires, in milliseconds. */
const RENEW_MARGIN_MS = 30_000;

let cached: CachedToken | undefined;
let pending: Promise<CachedToken> | undefined;
let onEnded: () => void = () => {};

export function onSessionEnd(listener: () => void): void {
  onEnded = listener;
}

export function forgetToken(): void {
  cached = undefined;
  pending = undefined;
}

export async function currentToken(): Promise<string> {
  if (cached && cached.expiresAt - RENEW_MARGIN_MS > Date.now()) return cached.token;
  pending ??= requestToken().finally(() => (pending = undefined));
  cached = await pending;
  return cached.token;
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
  onEnded();
  return new SessionEnded();
}

async function requestToken(): Promise<CachedToken> {
  const requestedAt = Date.now();
  let response: { token: string; expires_at: string };
  try {
    response = (await sessionCall('POST', '/token', {})) as typeof response;
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === 401) throw sessionEnded();
    throw error;
  }
  // Computed from the token's lifetime, because the local clock may be wrong.
  const { iat, exp } = claimsOf(response.token);
  const lifetimeMs = iat === undefined || exp === undefined ? undefined : (exp - iat) * 1000;
  return {
    token: response.token,
    expiresAt:
      lifetimeMs === undefined ? Date.parse(`${response.expires_at}Z`) : requestedAt + lifetimeMs,
  };
}

function claimsOf(token: string): { iat?: number; exp?: number } {
  const [, claims = ''] = token.split('.');
  const text = atob(claims.replaceAll('-', '+').replaceAll('_', '/'));
  return JSON.parse(text) as { iat?: number; exp?: number };
}
