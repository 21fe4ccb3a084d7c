import { type JsonWebKey, webcrypto } from 'node:crypto';

import { importJWK, jwtVerify } from 'jose';

import { member } from '../../../lib/json/json-member.ts';
import { parseJson } from '../../../lib/json/parse-json.ts';
import type { Request } from '../../wire/request.ts';

/*
 * A push service and the browser behind it: verifies the VAPID token with jose, decrypts the message with the browser's
 * private key by WebCrypto, and refuses what the documented service worker does not show.
 * https://www.rfc-editor.org/rfc/rfc8030, 8188, 8291 and 8292
 */

export const VAPID = {
  secret: 'MqvhRZp2YlZH34v_GK1bETrt2Hxv3q6JzW_FGW7ATVo',
  consumer_key:
    'BCIN7kElC6vh4nFZlM51d-X-B6_GrzqFGG3_26lM6mU_VouR9EpS161J6OWRhdLEUbXYjGlzs7DxdZHRu0Srq90',
  address: 'mailto:ops@example.org',
};

/** The browser of RFC 8291, appendix A. */
export const BROWSER = {
  privateKey: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};

/** A subscription of that browser, as `JSON.stringify` writes it. */
export const subscriptionAt = (endpoint: string): string =>
  JSON.stringify({
    endpoint,
    expirationTime: null,
    keys: { p256dh: BROWSER.p256dh, auth: BROWSER.auth },
  });

/** The reason for which a push service refuses a request, with its status. */
export interface PushFault {
  status: number;
  reason: string;
}

const MAX_BYTES = 4096;

/** The decrypted notification as JSON, or why it is refused. `origin` is that of the push service. */
export async function readPush(
  { headers, bytes }: Pick<Request, 'headers' | 'bytes'>,
  origin: string,
  now: number,
): Promise<string | PushFault> {
  if (!(await isAuthentic(headers['authorization'] ?? '', origin, now))) {
    return { status: 403, reason: 'BadJwtToken' };
  }
  if (bytes.length > MAX_BYTES) return { status: 413, reason: 'PayloadTooLarge' };
  const fault = headerFault(headers);
  if (fault !== undefined) return { status: 400, reason: fault };
  const text = (await decrypt(bytes)).toString();
  const unsupportedField = notificationFault(text);
  return unsupportedField === undefined ? text : { status: 400, reason: unsupportedField };
}

const MAX_TOKEN_MS = 24 * 60 * 60 * 1000;

/** RFC 8292, sections 2 and 3 */
async function isAuthentic(header: string, origin: string, now: number): Promise<boolean> {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(header) ?? [];
  if (key !== VAPID.consumer_key) return false;
  try {
    const verifier = await importJWK(publicJwk(key), 'ES256');
    const { payload } = await jwtVerify(token, verifier, {
      algorithms: ['ES256'],
      typ: 'JWT',
      audience: origin,
      subject: VAPID.address,
      requiredClaims: ['exp'],
      currentDate: new Date(now),
    });
    return Number(payload.exp) * 1000 - now <= MAX_TOKEN_MS;
  } catch {
    return false;
  }
}

const URGENCIES: ReadonlySet<string> = new Set(['very-low', 'low', 'normal', 'high']);

function headerFault(headers: Request['headers']): string | undefined {
  if (headers['content-encoding'] !== 'aes128gcm') return 'content-encoding';
  if (!/^\d{1,7}$/.test(headers['ttl'] ?? '')) return 'ttl';
  if (!URGENCIES.has(headers['urgency'] ?? 'normal')) return 'urgency';
  return /^[\w-]{1,32}$/.test(headers['topic'] ?? 'none') ? undefined : 'topic';
}

function publicJwk(point: string): JsonWebKey & { kty: string } {
  const bytes = Buffer.from(point, 'base64url');
  const [x, y] = [bytes.toString('base64url', 1, 33), bytes.toString('base64url', 33)];
  return { kty: 'EC', crv: 'P-256', x, y };
}

const { subtle } = webcrypto;
const P256 = { name: 'ECDH', namedCurve: 'P-256' };

/** Rejects if the message was not encrypted for the browser. */
async function decrypt(body: Buffer): Promise<Buffer> {
  const [salt, size, keyLength] = [body.subarray(0, 16), body.readUInt32BE(16), body[20]];
  const [sender, record] = [body.subarray(21, 86), body.subarray(86)];
  if (keyLength !== 65 || size !== 4096 || record.length > size) throw new Error('bad header');
  const browserKey = { ...publicJwk(BROWSER.p256dh), d: BROWSER.privateKey };
  const privateKey = await subtle.importKey('jwk', browserKey, P256, false, ['deriveBits']);
  const senderKey = await subtle.importKey('raw', sender, P256, false, []);
  const shared = await subtle.deriveBits({ name: 'ECDH', public: senderKey }, privateKey, 256);
  const info = ['WebPush: info\0', Buffer.from(BROWSER.p256dh, 'base64url'), sender];
  const secret = await derive(shared, Buffer.from(BROWSER.auth, 'base64url'), info, 32);
  const key = await derive(secret, salt, ['Content-Encoding: aes128gcm\0'], 16);
  const iv = await derive(secret, salt, ['Content-Encoding: nonce\0'], 12);
  const aes = await subtle.importKey('raw', key, 'AES-GCM', false, ['decrypt']);
  const padded = Buffer.from(await subtle.decrypt({ name: 'AES-GCM', iv }, aes, record));
  const end = padded.lastIndexOf(2);
  if (end === -1 || padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('padding');
  return padded.subarray(0, end);
}

async function derive(
  secret: ArrayBuffer,
  salt: Buffer,
  info: readonly (string | Buffer)[],
  bytes: number,
): Promise<ArrayBuffer> {
  const parts = Buffer.concat(info.map((part) => Buffer.from(part)));
  const key = await subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits']);
  return subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info: parts }, key, bytes * 8);
}

const TYPES: Readonly<Record<string, string>> = {
  title: 'string',
  body: 'string',
  image: 'string',
  icon: 'string',
  url: 'string',
  tag: 'string',
  silent: 'boolean',
  actions: 'object',
};

const isAction = (action: unknown) =>
  typeof action === 'object' &&
  action !== null &&
  Object.keys(action).toSorted().join() === 'action,title';

/** The first field of the notification that the service worker of the setup guide could not show. */
function notificationFault(text: string): string | undefined {
  const notification = parseJson(text);
  if (typeof notification !== 'object' || notification === null) return 'notification';
  const unknown = Object.entries(notification).find(
    ([name, value]) => TYPES[name] !== typeof value,
  );
  if (unknown) return `field ${unknown[0]}`;
  const actions = member(notification, 'actions') ?? [];
  const isValid = Array.isArray(actions) && actions.length <= 2 && actions.every(isAction);
  return isValid ? undefined : 'actions';
}
