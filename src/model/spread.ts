/**
 * How many integrations each node is to own: all alike, and where it does not come out even, one more for those
 * who own the most already. So whoever owns what it should keeps it, and an even spread asks nothing of anybody.
 */
export function sharesOf(
  owned: ReadonlyMap<string, number>,
  total: number,
): ReadonlyMap<string, number> {
  const each = Math.floor(total / owned.size);
  const more = total % owned.size;
  const byCount = [...owned].toSorted(([a, has], [b, hasToo]) => hasToo - has || (a < b ? -1 : 1));
  return new Map(byCount.map(([node], place) => [node, place < more ? each + 1 : each]));
}
