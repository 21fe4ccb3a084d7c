import { encodeBase64Url } from './base64.ts';

/** A key of a user or an application. Its secret grants all their rights. */
export interface Key {
  id: number | string;
  /** The secret that was returned when the key was created. */
  secret: string;
}

/** A token, or a function that returns one and is called before every call. */
export type Token = string | (() => string | Promise<string>);

/** Lifetime of tokens that the client signs. */
const LIFETIME_SECONDS = 10 * 60;
/** How long before its expiry a token is replaced: calls take time, and clocks differ. */
const RENEW_BEFORE_SECONDS = 2 * 60;

const encoder = new TextEncoder();
const encode = (value: object) => encodeBase64Url(encoder.encode(JSON.stringify(value)));

/** Returns a function that returns the token for a call; undefined if there is none. */
export function tokenSource(
  token: Token | undefined,
  key: Key | undefined,
): () => Promise<string | undefined> {
  if (key) return signer(key);
  return async () => (typeof token === 'function' ? await token() : token)?.trim();
}

/** Signs tokens with a key, and replaces each shortly before it expires. */
function signer({ id, secret }: Key): () => Promise<string> {
  let current: Promise<string> | undefined;
  let until = 0;
  return () => {
    const now = Math.floor(Date.now() / 1000);
    // Also signs a new token if the clock moved backwards, because the service refuses tokens from the future.
    if (current && now < until && now >= until - LIFETIME_SECONDS) return current;
    until = now + LIFETIME_SECONDS - RENEW_BEFORE_SECONDS;
    const signed = sign(secret, { iss: String(id), iat: now, exp: now + LIFETIME_SECONDS });
    current = signed;
    signed.catch(() => (current = undefined));
    return signed;
  };
}

/** A JWT signed with HS256: RFC 7519, RFC 7515. */
async function sign(secret: string, claims: object): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, [
    'sign',
  ]);
  const content = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  const signature = await crypto.subtle.sign('HMAC', key, encoder.encode(content));
  return `${content}.${encodeBase64Url(new Uint8Array(signature))}`;
}
