/** The JSON text of a parsed value, with integers beyond 2^53, which are BigInts, as strings. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each));
