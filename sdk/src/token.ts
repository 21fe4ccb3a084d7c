import { encodeBase64Url } from './base64.ts';

/** A key of a user or of an application. Whoever has its secret speaks for that one. */
export interface Key {
  /** The id of the key. */
  id: number | string;
  /** What it was shown with when it was made. */
  secret: string;
}

/** A token, or whatever gets one: it is asked before every call. */
export type Token = string | (() => string | Promise<string>);

/** How long a token is good for that is signed here, in seconds. */
const LASTS = 10 * 60;
/** How long before its end another one is signed: calls take a while, and clocks differ. */
const MARGIN = 2 * 60;

const encoder = new TextEncoder();
const encode = (value: object) => encodeBase64Url(encoder.encode(JSON.stringify(value)));

/** Answers the token to call with; undefined when there is none. */
export function tokenSource(
  token: Token | undefined,
  key: Key | undefined,
): () => Promise<string | undefined> {
  if (key) return signer(key);
  return async () => (typeof token === 'function' ? await token() : token)?.trim();
}

/** Signs tokens with a key, and signs another one shortly before the last one ends. */
function signer({ id, secret }: Key): () => Promise<string> {
  let current: Promise<string> | undefined;
  let until = 0;
  return () => {
    const now = Math.floor(Date.now() / 1000);
    // A clock that was set back is a reason as well: a token from the future is not taken.
    if (current && now < until && now >= until - LASTS) return current;
    until = now + LASTS - MARGIN;
    const signed = sign(secret, { iss: String(id), iat: now, exp: now + LASTS });
    current = signed;
    signed.catch(() => (current = undefined));
    return signed;
  };
}

/** A JWT by HS256: RFC 7519, RFC 7515. */
async function sign(secret: string, claims: object): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, [
    'sign',
  ]);
  const content = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  const signature = await crypto.subtle.sign('HMAC', key, encoder.encode(content));
  return `${content}.${encodeBase64Url(new Uint8Array(signature))}`;
}
