/** The value at a path in a JSON value; undefined if missing. Ignores inherited properties. */
export function member(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return found;
}

/** The string at a path; undefined for other types. */
export function textMember(value: unknown, ...path: readonly string[]): string | undefined {
  const found = member(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

/** The integer of any size at a path, as a string; undefined for other types. */
export function integerMember(value: unknown, ...path: readonly string[]): string | undefined {
  const found = member(value, ...path);
  return typeof found === 'bigint' || Number.isSafeInteger(found) ? String(found) : undefined;
}

/** The array at a path; empty if missing or of another type. */
export function listMember(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = member(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The number at a path; undefined for other types. */
export function numberMember(value: unknown, ...path: readonly string[]): number | undefined {
  const found = member(value, ...path);
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
}
