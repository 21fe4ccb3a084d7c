/** A member of a member … of a JSON value; undefined where there is none. Never what is inherited. */
export function member(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return found;
}

/** The same, where it must be a text. */
export function textMember(value: unknown, ...path: readonly string[]): string | undefined {
  const found = member(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

/** The same, where it must be a whole number, of whatever size: as it is written. */
export function integerMember(value: unknown, ...path: readonly string[]): string | undefined {
  const found = member(value, ...path);
  return typeof found === 'bigint' || Number.isSafeInteger(found) ? String(found) : undefined;
}

/** The same, where it must be a list; empty where there is none. */
export function listMember(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = member(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The same, where it must be a number. */
export function numberMember(value: unknown, ...path: readonly string[]): number | undefined {
  const found = member(value, ...path);
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
}
