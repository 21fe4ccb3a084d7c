const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** How many characters a person would count: "é" and a family emoji are one each. */
export function countGraphemes(text: string): number {
  let count = 0;
  for (const _ of segmenter.segment(text)) count++;
  return count;
}
