/*
 * A token of the console's session. It lasts a few minutes and is kept in memory only; the session cookie, which no
 * script can read, obtains the next one.
 */

const RENEW_AFTER_MS = 60_000;

let cached: { token: string; requestedAt: number } | undefined;

/** Fails if nobody is signed in. */
export async function currentToken(): Promise<string> {
  if (cached && Date.now() - cached.requestedAt < RENEW_AFTER_MS) return cached.token;
  const requestedAt = Date.now();
  const response = await fetch('/console/token', {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  if (!response.ok) throw new Error(`no token: ${response.status}`);
  const { token } = (await response.json()) as { token: string };
  cached = { token, requestedAt };
  return token;
}
