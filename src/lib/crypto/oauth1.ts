import { createHmac } from 'node:crypto';

/*
 * OAuth 1.0a with HMAC-SHA1, for requests without a form body; other bodies are not signed.
 * RFC 5849, sections 3.4 and 3.5.1
 */
interface OAuth1Keys {
  consumerKey: string;
  consumerSecret: string;
  token: string;
  tokenSecret: string;
}

/** Makes each request unique: the time in seconds, and a nonce. */
export interface RequestNonce {
  timestamp: number;
  nonce: string;
}

export type Parameters = readonly (readonly [name: string, value: string])[];

/** The `Authorization` header of a request. */
export function authorizeRequest(
  method: string,
  url: string,
  { consumerKey, consumerSecret, token, tokenSecret }: OAuth1Keys,
  { timestamp, nonce }: RequestNonce,
): string {
  const parameters: Parameters = [
    ['oauth_consumer_key', consumerKey],
    ['oauth_nonce', nonce],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', String(timestamp)],
    ['oauth_token', token],
    ['oauth_version', '1.0'],
  ];
  const signed = signature(baseString(method, url, parameters), consumerSecret, tokenSecret);
  const all: Parameters = [...parameters, ['oauth_signature', signed]];
  return `OAuth ${all.map(([name, value]) => `${encode(name)}="${encode(value)}"`).join(', ')}`;
}

/** The signature base string: section 3.4.1. `parameters` are those that are not in the URL. */
export function baseString(method: string, url: string, parameters: Parameters): string {
  const { origin, pathname, searchParams } = new URL(url);
  const pairs = [...searchParams, ...parameters]
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .toSorted(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map(([name, value]) => `${name}=${value}`);
  const parts = [method.toUpperCase(), `${origin}${pathname}`, pairs.join('&')];
  return parts.map(encode).join('&');
}

/** Section 3.4.2. */
export function signature(base: string, consumerSecret: string, tokenSecret: string): string {
  const key = `${encode(consumerSecret)}&${encode(tokenSecret)}`;
  return createHmac('sha1', key).update(base).digest('base64');
}

/** Compares by bytes; encoded parameters are ASCII. */
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Section 3.6: encodes more characters than URLs do. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
