import { createECDH, createPrivateKey, sign } from 'node:crypto';

import type { Credentials } from '../../model/integration.ts';
import { CURVE, PUBLIC_KEY_BYTES, decodeKey } from './subscription.ts';

const PRIVATE_KEY_BYTES = 32;
/** Push services refuse tokens that are valid for more than 24 hours. RFC 8292, section 2 */
const LIFETIME_SECONDS = 12 * 60 * 60;
/** Apple refuses contacts that are not an email address or an https URL. RFC 8292, section 2.1 */
const CONTACT = /^(?:mailto:[^\s@"\\]{1,100}@[^\s@"\\]{1,100}|https:\/\/[\x21-\x7e]{1,300})$/;

/** Identifies us to push services. RFC 8292 */
interface Vapid {
  privateKey: Buffer;
  publicKey: Buffer;
  contact: string;
}

/** Reads the credentials; returns the problem if they are invalid. */
export function readVapid(credentials: Credentials): Vapid | string {
  const { secret, consumer_key: key, address: contact = '' } = credentials;
  const privateKey = decodeKey(secret, PRIVATE_KEY_BYTES);
  if (!privateKey) return 'secret must be a VAPID private key: 32 bytes in base64url';
  const publicKey = decodeKey(key, PUBLIC_KEY_BYTES);
  if (!publicKey) return 'consumer_key must be a VAPID public key: 65 bytes in base64url';
  if (publicKeyOf(privateKey)?.equals(publicKey) !== true) {
    return 'secret and consumer_key are not a key pair';
  }
  if (!CONTACT.test(contact)) return 'address must be a mailto: or https: contact';
  return { privateKey, publicKey, contact };
}

/** The `Authorization` header for a push service, with a token signed by ES256. */
export function authorization({ privateKey, publicKey, contact }: Vapid, url: URL, now: number) {
  const claims = {
    aud: url.origin,
    exp: Math.floor(now / 1000) + LIFETIME_SECONDS,
    sub: contact,
  };
  const input = `${encode({ typ: 'JWT', alg: 'ES256' })}.${encode(claims)}`;
  const key = createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      d: privateKey.toString('base64url'),
      x: publicKey.toString('base64url', 1, 33),
      y: publicKey.toString('base64url', 33),
    },
  });
  const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
  const token = `${input}.${signature.toString('base64url')}`;
  return `vapid t=${token}, k=${publicKey.toString('base64url')}`;
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

function publicKeyOf(privateKey: Buffer): Buffer | undefined {
  try {
    const pair = createECDH(CURVE);
    pair.setPrivateKey(privateKey);
    return pair.getPublicKey();
  } catch {
    return undefined;
  }
}
