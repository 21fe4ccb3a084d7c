/** What is known of some fields: those that are undefined are left out. */
export type Known<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** The same fields without those that are undefined, to be spread where a field may only be missing. */
export function known<Fields extends object>(fields: Fields): Known<Fields> {
  const kept: Known<Fields> = { ...fields };
  for (const name in kept) if (kept[name] === undefined) delete kept[name];
  return kept;
}
