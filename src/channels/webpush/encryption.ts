import { type ECDH, createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';

import { CURVE, type Subscription } from './subscription.ts';

/*
 * Encrypts a push message for one browser. RFC 8291, with the content encoding of RFC 8188. A message is one record:
 * a header of 86 bytes, the text, a delimiter and a tag of 16 bytes.
 */

const RECORD_BYTES = 4096;
const HEADER_BYTES = 86;
const TAG_BYTES = 16;
const SALT_BYTES = 16;
/** Marks the last record. */
const DELIMITER = Buffer.of(2);

/** Push services must accept bodies of 4,096 bytes, and may refuse longer ones. RFC 8030, section 7.2 */
export const MAX_PLAINTEXT_BYTES = RECORD_BYTES - HEADER_BYTES - TAG_BYTES - DELIMITER.length;

/** The random parts of a message. */
interface Randomness {
  /** A new key pair for each message. */
  sender: ECDH;
  salt: Buffer;
}

/** The body of the request to the push service. */
export function encrypt(
  plaintext: Buffer,
  { publicKey, authSecret }: Pick<Subscription, 'publicKey' | 'authSecret'>,
  { sender, salt }: Randomness = newRandomness(),
): Buffer {
  const senderKey = sender.getPublicKey();
  const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, senderKey]);
  const shared = derive(sender.computeSecret(publicKey), authSecret, keyInfo, 32);
  const key = derive(shared, salt, 'Content-Encoding: aes128gcm\0', 16);
  const nonce = derive(shared, salt, 'Content-Encoding: nonce\0', 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  return Buffer.concat([
    salt,
    sizesOf(senderKey),
    senderKey,
    cipher.update(Buffer.concat([plaintext, DELIMITER])),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
}

function newRandomness(): Randomness {
  const sender = createECDH(CURVE);
  sender.generateKeys();
  return { sender, salt: randomBytes(SALT_BYTES) };
}

function derive(secret: Buffer, salt: Buffer, info: string | Buffer, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, bytes));
}

/** The record size and the length of the key. RFC 8188, section 2.1 */
function sizesOf(senderKey: Buffer): Buffer {
  const sizes = Buffer.alloc(5);
  sizes.writeUInt32BE(RECORD_BYTES);
  sizes.writeUInt8(senderKey.length, 4);
  return sizes;
}
