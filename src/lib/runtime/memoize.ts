/** Memoizes a function of a string, keeping the last `most` distinct arguments. */
export function memoize<Value>(
  judge: (text: string) => Value,
  most: number,
): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined || known.has(text)) return before as Value;
    const value = judge(text);
    known.set(text, value);
    if (known.size > most) known.delete(known.keys().next().value as string);
    return value;
  };
}
