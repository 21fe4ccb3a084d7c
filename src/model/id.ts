/** The id of a record. Below 2^53, so that every JSON parser reads it exactly. */
export type Id = number;

/** Stands for any int64 outside the assigned range. No record has this id. */
export const NO_ID: Id = 0;

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const DECIMAL = /^-?\d{1,19}$/;
/** Short enough to parse without BigInt. */
const SHORT = /^\d{1,15}$/;

/**
 * Parses an id from a client: a JSON number, a BigInt (a number too large for a double) or a decimal string. Returns
 * undefined if it is not an int64, and NO_ID for an int64 that is never assigned.
 */
export function parseId(value: unknown): Id | undefined {
  if (typeof value === 'string' && SHORT.test(value)) return Number(value);
  const whole = toBigInt(value);
  if (whole === undefined || whole < INT64_MIN || whole > INT64_MAX) return undefined;
  return whole > 0n && whole <= Number.MAX_SAFE_INTEGER ? Number(whole) : NO_ID;
}

/** Below and above all assigned ids, and exact both as double and as int64. */
export const BEFORE_ALL_IDS = 0;
export const AFTER_ALL_IDS = 2 ** 53;

/**
 * Parses any int64 as a position among the assigned ids. Values outside their range map to just below or just above
 * it, so nothing is rounded. Undefined if it is not an int64.
 */
export function parseCursor(text: string): number | undefined {
  const whole = toBigInt(text);
  if (whole === undefined || whole < INT64_MIN || whole > INT64_MAX) return undefined;
  if (whole <= 0n) return BEFORE_ALL_IDS;
  return whole <= Number.MAX_SAFE_INTEGER ? Number(whole) : AFTER_ALL_IDS;
}

function toBigInt(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  if (typeof value === 'string' && DECIMAL.test(value)) return BigInt(value);
  return undefined;
}
