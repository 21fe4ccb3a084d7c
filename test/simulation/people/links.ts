/** Which addresses and contacts may belong together, by what vendors attested and requests said. */
export class Links {
  readonly #groups = new Map<string, Set<string>>();

  join(...names: string[]): void {
    const all = new Set<string>(names);
    for (const name of names) for (const other of this.#groups.get(name) ?? []) all.add(other);
    for (const name of all) this.#groups.set(name, all);
  }

  areJoined(names: readonly string[]): boolean {
    const [first = '', ...others] = names;
    const group = this.#groups.get(first);
    return others.every((name) => group?.has(name) ?? false);
  }
}
