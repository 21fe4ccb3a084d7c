import { createHash } from 'node:crypto';

/**
 * An idempotency key for a vendor, in hexadecimal. It includes the content, because the key of a part is unique in
 * one database only, and several databases may send through the same vendor account.
 */
export function idempotencyKey(key: string, sent: object): string {
  return createHash('sha256')
    .update(`${key}\n${JSON.stringify(sent)}`)
    .digest('hex');
}
