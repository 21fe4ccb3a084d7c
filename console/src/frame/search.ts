/* URL search parameters as readable plain text, one value per name. */

export type SearchText = Partial<Record<string, string>>;

export function parseSearch(text: string): SearchText {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      query.set(name, String(value));
    }
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

export function numberIn(search: SearchText, name: string): number | undefined {
  const text = search[name];
  return text !== undefined && /^\d{1,16}$/.test(text) ? Number(text) : undefined;
}

/** Drops undefined and empty values, to keep URLs short. */
export function compact<Value extends object>(value: Value): Compact<Value> {
  return Object.fromEntries(
    Object.entries(value).filter(([, each]) => each !== undefined && each !== ''),
  ) as Compact<Value>;
}

type Compact<Value> = { [Name in keyof Value]?: Exclude<Value[Name], undefined> };
