let segmenter: Intl.Segmenter | undefined;

/** The user-perceived characters of a text. The first call loads some megabytes of Unicode data. */
export function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** The number of user-perceived characters: "é" and a family emoji count as one each. */
export function countGraphemes(text: string): number {
  let count = 0;
  for (const _ of graphemesOf(text)) count++;
  return count;
}
