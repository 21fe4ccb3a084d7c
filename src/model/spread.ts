/**
 * How many integrations each node is to own: all alike, and where it does not come out even, one more for those
 * who own the most already. So whoever owns what it should keeps it, and an even spread asks nothing of anybody.
 * Of those who own as many, `first` comes first: what only one can have is for whoever asks. Whoever has given what
 * it had too many of lacks nothing by that either, so nothing goes to and fro.
 */
export function sharesOf(
  owned: ReadonlyMap<string, number>,
  total: number,
  first?: string,
): ReadonlyMap<string, number> {
  const each = Math.floor(total / owned.size);
  const more = total % owned.size;
  const byCount = [...owned].toSorted(([a, has], [b, hasToo]) => {
    if (has !== hasToo) return hasToo - has;
    return a === first || (b !== first && a < b) ? -1 : 1;
  });
  return new Map(byCount.map(([node], place) => [node, place < more ? each + 1 : each]));
}
