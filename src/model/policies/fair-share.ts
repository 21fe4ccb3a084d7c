/**
 * How many integrations each node should own: equal shares, with the remainder going to the nodes that own the most
 * already, so that an even distribution needs no moves. Among nodes that own equally many, `first` gets the
 * remainder. A node that releases its surplus does not count as lacking anything afterwards, so integrations do not
 * move back and forth.
 */
export function sharesOf(
  owned: ReadonlyMap<string, number>,
  total: number,
  first?: string,
): ReadonlyMap<string, number> {
  const each = Math.floor(total / owned.size);
  const remainder = total % owned.size;
  const byCount = [...owned].toSorted(([a, countOfA], [b, countOfB]) => {
    if (countOfA !== countOfB) return countOfB - countOfA;
    return a === first || (b !== first && a < b) ? -1 : 1;
  });
  return new Map(byCount.map(([node], place) => [node, place < remainder ? each + 1 : each]));
}
