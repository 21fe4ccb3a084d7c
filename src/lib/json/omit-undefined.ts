/** The same fields, each of which may be absent but not undefined. */
type Defined<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** Omits undefined fields, for spreading into types whose optional fields must not be undefined. */
export function omitUndefined<Fields extends object>(fields: Fields): Defined<Fields> {
  const kept: Defined<Fields> = { ...fields };
  for (const name in kept) if (kept[name] === undefined) delete kept[name];
  return kept;
}
