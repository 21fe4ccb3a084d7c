const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The number of user-perceived characters: "é" and a family emoji count as one each. */
export function countGraphemes(text: string): number {
  let count = 0;
  for (const _ of segmenter.segment(text)) count++;
  return count;
}
