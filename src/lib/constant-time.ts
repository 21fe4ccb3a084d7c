import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (value: string | Uint8Array) => createHash('sha256').update(value).digest();

/**
 * Whether two secrets are the same, in a time that does not tell how much of them is. They may differ in
 * length. What is missing equals nothing, not even itself.
 */
export function equalInConstantTime(
  a: string | Uint8Array | undefined,
  b: string | Uint8Array | undefined,
): boolean {
  return a !== undefined && b !== undefined && timingSafeEqual(digest(a), digest(b));
}
