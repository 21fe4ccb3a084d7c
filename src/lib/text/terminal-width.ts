import { graphemesOf } from './graphemes.ts';

/** Characters that terminals draw two columns wide: https://www.unicode.org/reports/tr11/ */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\ufe0f/u;

/** The width of a text in terminal columns. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const { segment } of graphemesOf(text)) columns += WIDE.test(segment) ? 2 : 1;
  return columns;
}

/** Pads a text with spaces to a width in terminal columns. */
export function padColumns(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(columns - columnsOf(text), 0));
}
