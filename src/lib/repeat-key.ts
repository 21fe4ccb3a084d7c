import { createHash } from 'node:crypto';

/**
 * What a vendor knows a repeated request by, as hexadecimal digits. What is sent is part of it: the key of a part
 * is of one database, and two databases may write through one account, or one after the other.
 */
export function repeatKey(key: string, sent: object): string {
  return createHash('sha256')
    .update(`${key}\n${JSON.stringify(sent)}`)
    .digest('hex');
}
