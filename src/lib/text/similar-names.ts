/** Longer words are not misspellings, and the cost is the product of both lengths. */
const MAX_LENGTH = 64;

/** The candidates that `word` may be a misspelling of, closest first. */
export function similarNames(
  word: string,
  candidates: readonly string[],
  lettersPerEdit = 3,
): string[] {
  if (word.length > MAX_LENGTH) return [];
  return candidates
    .map((candidate) => ({ candidate, edits: distance(word, candidate) }))
    .filter(
      ({ candidate, edits }) => edits <= Math.max(word.length, candidate.length) / lettersPerEdit,
    )
    .toSorted((a, b) => a.edits - b.edits)
    .map(({ candidate }) => candidate);
}

/** Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbors. */
function distance(from: string, to: string): number {
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1];
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row.push(
        Math.min(
          (last[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          (last[j - 1] ?? 0) + (isSame ? 0 : 1),
          isSwap ? (before[j - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    before = last;
    last = row;
  }
  return last[to.length] ?? 0;
}
