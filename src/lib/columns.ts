const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** What terminals draw over two columns: https://www.unicode.org/reports/tr11/ */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\ufe0f/u;

/** How many columns of a terminal a text takes. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const { segment } of graphemes.segment(text)) columns += WIDE.test(segment) ? 2 : 1;
  return columns;
}

/** The text, with spaces after it up to that many columns. */
export function padColumns(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(columns - columnsOf(text), 0));
}
