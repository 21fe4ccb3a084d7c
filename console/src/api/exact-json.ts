/*
 * JSON whose numbers survive. An activity may hold integers that JavaScript rounds, such as the 64-bit ids of other
 * systems; what is shown and copied must be what was sent.
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

const keep: Reviver = (_key, value, context) => {
  const isRounded =
    typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
  return isRounded && rawJSON && context?.source !== undefined ? rawJSON(context.source) : value;
};

/** Parses it so that JSON.stringify writes every number as it stood. Older browsers round. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, keep);
}
