import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (value: string | Uint8Array) => createHash('sha256').update(value).digest();

/**
 * Compares two secrets in constant time; they may differ in length. A missing secret equals nothing, not even another
 * missing one.
 */
export function equalInConstantTime(
  a: string | Uint8Array | undefined,
  b: string | Uint8Array | undefined,
): boolean {
  return a !== undefined && b !== undefined && timingSafeEqual(digest(a), digest(b));
}
