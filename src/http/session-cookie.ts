import { Problem } from '../model/problem.ts';
import { isLoopback } from './origin.ts';

/*
 * What the browser keeps of a session. No script can read it, no other site can have it sent along, and by its
 * prefix no other host can have set it (RFC 6265bis). Without TLS it is for this machine alone.
 */
export const SECURE_COOKIE = '__Host-switchboard';
export const LOOPBACK_COOKIE = 'switchboard';

/** The value of the cookie, as a header of the request has it. */
export function readCookie(header: string | undefined, hostname: string): string | undefined {
  const cookies = new Map(
    (header ?? '').split(';').map((pair) => {
      const [name = '', value = ''] = pair.split('=', 2);
      return [name.trim(), value.trim()];
    }),
  );
  const secure = cookies.get(SECURE_COOKIE);
  if (secure !== undefined) return secure;
  return isLoopback(hostname) ? cookies.get(LOOPBACK_COOKIE) : undefined;
}

/** What the cookie is called for a page at this origin; throws the Problem when it may have none. */
export function cookieName(origin: URL): string {
  if (origin.protocol === 'https:') return SECURE_COOKIE;
  if (isLoopback(origin.hostname)) return LOOPBACK_COOKIE;
  throw new Problem(
    'https_needed',
    `nobody signs in at ${origin.origin}: whoever listens on the way could do so as well`,
  );
}

/** Has the browser keep a value for so many seconds. */
export function writeCookie(name: string, value: string, seconds: number): string {
  const attributes = ['Path=/', 'HttpOnly', 'SameSite=Strict', `Max-Age=${seconds}`];
  const secure = name === SECURE_COOKIE ? ['Secure'] : [];
  return [`${name}=${value}`, ...attributes, ...secure].join('; ');
}

export const forgetCookie = (name: string): string => writeCookie(name, '', 0);
