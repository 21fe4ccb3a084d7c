/** Memoizes a function of a string, keeping the last `maxEntries` distinct arguments. */
export function memoize<Value>(
  compute: (text: string) => Value,
  maxEntries: number,
): (text: string) => Value {
  const results = new Map<string, Value>();
  return (text) => {
    const before = results.get(text);
    if (before !== undefined || results.has(text)) return before as Value;
    const value = compute(text);
    results.set(text, value);
    if (results.size > maxEntries) results.delete(results.keys().next().value as string);
    return value;
  };
}
