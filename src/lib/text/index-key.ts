import { createHash } from 'node:crypto';

/** Keeps index entries small: longer texts are hashed. */
const MAX_BYTES = 256;

/** The text itself, or its hash if it is too long for an index. */
export function indexKey(text: string): string {
  if (Buffer.byteLength(text) <= MAX_BYTES) return text;
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
