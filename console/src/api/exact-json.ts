/*
 * Parses JSON without changing its numbers. An activity may contain integers that JavaScript rounds, such as 64-bit ids
 * of other systems; the console must show and copy them as they were sent.
 */

interface RawJson {
  rawJSON?(text: string): unknown;
}

type Reviver = (
  this: unknown,
  key: string,
  value: unknown,
  context?: { source?: string },
) => unknown;

const { rawJSON } = JSON as RawJson;

const keepLargeIntegers: Reviver = (_key, value, context) => {
  const isRounded =
    typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
  return isRounded && rawJSON && context?.source !== undefined ? rawJSON(context.source) : value;
};

/** Parses so that JSON.stringify writes every number as it was. Older browsers round large integers. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, keepLargeIntegers);
}
