/* The test chat knows its visitor by an identity that is signed here with the key of the integration. */

/** Whom messages of the guided start go to. */
export const VISITOR = 'test-visitor';

const LASTS = 12 * 60 * 60;

const utf8 = (text: string) => new TextEncoder().encode(text);

function base64url(bytes: Uint8Array): string {
  const text = btoa(String.fromCodePoint(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** A key that nobody guesses, of 256 bits. */
export function newIdentityKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A JWT by which the chat takes whoever opens it for the test visitor (RFC 7515, HS256). */
export async function signIdentity(secret: string, name: string): Promise<string> {
  const header = base64url(utf8(JSON.stringify({ alg: 'HS256', typ: 'JWT' })));
  const exp = Math.floor(Date.now() / 1000) + LASTS;
  const claims = base64url(utf8(JSON.stringify({ sub: VISITOR, name, exp })));
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', utf8(secret), algorithm, false, ['sign']);
  const signature = await crypto.subtle.sign('HMAC', key, utf8(`${header}.${claims}`));
  return `${header}.${claims}.${base64url(new Uint8Array(signature))}`;
}
