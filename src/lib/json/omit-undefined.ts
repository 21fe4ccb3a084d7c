/** Fields with undefined values made optional instead. */
export type Known<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** Omits undefined fields, for spreading into types whose optional fields must not be undefined. */
export function known<Fields extends object>(fields: Fields): Known<Fields> {
  const kept: Known<Fields> = { ...fields };
  for (const name in kept) if (kept[name] === undefined) delete kept[name];
  return kept;
}
