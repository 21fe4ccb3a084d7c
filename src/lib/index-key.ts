import { createHash } from 'node:crypto';

/** What an index takes beside other columns, in bytes. */
const MOST = 256;

/** A text as it is, or its hash when it is too long for an index. */
export function indexKey(text: string): string {
  if (Buffer.byteLength(text) <= MOST) return text;
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
