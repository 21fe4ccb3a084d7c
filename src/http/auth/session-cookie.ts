import { Problem } from '../../model/problem.ts';
import { isLoopback } from './origin.ts';

/*
 * The session cookie. Scripts cannot read it, other sites cannot have it sent, and its prefix keeps other hosts
 * from setting it (RFC 6265bis). Without TLS it works on localhost only.
 */
export const SECURE_COOKIE = '__Host-switchboard';
const LOOPBACK_COOKIE = 'switchboard';

/** Reads the session cookie from a request header. */
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

/** Name of the cookie for a page at this origin; throws if the page may have none. */
export function cookieName(origin: URL): string {
  if (origin.protocol === 'https:') return SECURE_COOKIE;
  if (isLoopback(origin.hostname)) return LOOPBACK_COOKIE;
  throw new Problem('https_needed', `sign-in at ${origin.origin} is not encrypted`);
}

/** Sets the cookie for the given number of seconds. */
export function writeCookie(name: string, value: string, seconds: number): string {
  const attributes = ['Path=/', 'HttpOnly', 'SameSite=Strict', `Max-Age=${seconds}`];
  const secure = name === SECURE_COOKIE ? ['Secure'] : [];
  return [`${name}=${value}`, ...attributes, ...secure].join('; ');
}

export const forgetCookie = (name: string): string => writeCookie(name, '', 0);
