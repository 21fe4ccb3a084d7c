import { useEffect, useState } from 'react';

/** The value, once unchanged for `millis`. */
export function useSettled<Value>(value: Value, millis = 300): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), millis);
    return () => clearTimeout(timer);
  }, [value, millis]);
  return settled;
}

/** A search text, once the user pauses typing. */
export const useSearchText = (typed: string): string => useSettled(typed, 200).trim();
