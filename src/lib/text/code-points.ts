/** The number of Unicode code points, which is how many vendors count characters. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
