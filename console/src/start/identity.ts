/* The console signs the identity of the test visitor with the integration's key. */

/** Recipient of the guided start's messages. */
export const VISITOR = 'test-visitor';

const LIFETIME_SECONDS = 12 * 60 * 60;

const utf8 = (text: string) => new TextEncoder().encode(text);

function base64url(bytes: Uint8Array): string {
  const text = btoa(String.fromCodePoint(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** A random 256-bit key. */
export function newIdentityKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A JWT that identifies the test visitor to the chat (RFC 7515, HS256). */
export async function signIdentity(secret: string, name: string): Promise<string> {
  const header = base64url(utf8(JSON.stringify({ alg: 'HS256', typ: 'JWT' })));
  const exp = Math.floor(Date.now() / 1000) + LIFETIME_SECONDS;
  const claims = base64url(utf8(JSON.stringify({ sub: VISITOR, name, exp })));
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', utf8(secret), algorithm, false, ['sign']);
  const signature = await crypto.subtle.sign('HMAC', key, utf8(`${header}.${claims}`));
  return `${header}.${claims}.${base64url(new Uint8Array(signature))}`;
}
