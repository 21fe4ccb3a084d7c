import { ECDH } from 'node:crypto';

import { member, textMember } from '../../lib/json/json-member.ts';
import { parseJson } from '../../lib/json/parse-json.ts';

/** Where a browser receives push messages, and the keys to encrypt them with. */
export interface Subscription {
  /** An https URL at the push service of the browser's vendor. */
  endpoint: URL;
  /** The public key of the browser: an uncompressed point on P-256. */
  publicKey: Buffer;
  /** RFC 8291, section 3.2 */
  authSecret: Buffer;
}

export const CURVE = 'prime256v1';
export const PUBLIC_KEY_BYTES = 65;
const AUTH_SECRET_BYTES = 16;
const FIELDS: ReadonlySet<string> = new Set(['endpoint', 'expirationTime', 'keys']);
const KEYS: ReadonlySet<string> = new Set(['p256dh', 'auth']);

/** In characters: more than any recipient may have. */
const MAX_LENGTH = 1024;

/**
 * Reads a PushSubscription as `JSON.stringify` writes it; returns the problem with any other text. Spaces and repeated
 * fields are refused, because they would make several recipients out of one.
 * https://www.w3.org/TR/push-api/#dom-pushsubscription-tojson
 */
export function readSubscription(id: string): Subscription | string {
  const json = id.length <= MAX_LENGTH ? canonical(id) : undefined;
  if (!isObject(json)) return 'must be a PushSubscription as JSON.stringify writes it';
  const subscription = partsOf(json);
  return typeof subscription === 'string'
    ? `must be a PushSubscription: ${subscription}`
    : subscription;
}

function partsOf(json: object): Subscription | string {
  const keys = member(json, 'keys');
  const unknown = [...unknownOf(json, FIELDS), ...unknownOf(keys, KEYS)];
  if (unknown.length > 0) return 'it has endpoint, expirationTime and keys only';
  const expiry = member(json, 'expirationTime') ?? null;
  if (expiry !== null && typeof expiry !== 'number') return 'expirationTime is a number or null';
  const endpoint = endpointOf(textMember(json, 'endpoint') ?? '');
  if (!endpoint) return 'endpoint is an https URL';
  const publicKey = decodeKey(textMember(keys, 'p256dh'), PUBLIC_KEY_BYTES);
  if (!publicKey || !isPoint(publicKey)) return 'keys.p256dh is a P-256 public key in base64url';
  const authSecret = decodeKey(textMember(keys, 'auth'), AUTH_SECRET_BYTES);
  if (!authSecret) return 'keys.auth has 16 bytes in base64url';
  return { endpoint, publicKey, authSecret };
}

/** Decodes base64url without padding, as browsers write it, if it has this many bytes. */
export function decodeKey(text = '', bytes: number): Buffer | undefined {
  const decoded = Buffer.from(text, 'base64url');
  const isCanonical = decoded.length === bytes && decoded.toString('base64url') === text;
  return isCanonical ? decoded : undefined;
}

/** The value, if the text is what `JSON.stringify` writes for it. */
function canonical(text: string): unknown {
  try {
    const value = parseJson(text);
    return JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const unknownOf = (value: unknown, known: ReadonlySet<string>) =>
  isObject(value) ? Object.keys(value).filter((name) => !known.has(name)) : [];

function endpointOf(text: string): URL | undefined {
  const url = /^https:\/\/[\x21-\x7e]+$/.test(text) ? URL.parse(text) : null;
  const isPlain = url && url.username === '' && url.password === '' && url.hash === '';
  return isPlain ? url : undefined;
}

function isPoint(key: Buffer): boolean {
  try {
    ECDH.convertKey(key, CURVE);
    return key[0] === 4;
  } catch {
    return false;
  }
}
