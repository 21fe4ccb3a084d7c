/** The number of a record. Assigned below 2^53, so that every JSON reader keeps it whole. */
export type Id = number;

/** An int64 that no record can have: what a valid id outside the assigned range stands for. */
export const NO_ID: Id = 0;

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const DECIMAL = /^-?\d{1,19}$/;
/** What needs no BigInt on the way. */
const SHORT = /^\d{1,15}$/;

/**
 * Reads an id as a client may write it: a JSON number, a BigInt (a number too large for a double)
 * or a decimal string. Returns undefined for what is no int64, and NO_ID for an int64 that is never
 * assigned.
 */
export function parseId(value: unknown): Id | undefined {
  if (typeof value === 'string' && SHORT.test(value)) return Number(value);
  const whole = toBigInt(value);
  if (whole === undefined || whole < INT64_MIN || whole > INT64_MAX) return undefined;
  return whole > 0n && whole <= Number.MAX_SAFE_INTEGER ? Number(whole) : NO_ID;
}

/** Below and above every id that is assigned; both are whole as doubles and as int64. */
export const BEFORE_ALL_IDS = 0;
export const AFTER_ALL_IDS = 2 ** 53;

/**
 * Reads any int64 as a position among the assigned ids: those outside their range are just below or
 * just above it, so that none is rounded. Undefined for what is no int64.
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
