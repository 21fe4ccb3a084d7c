import { type RichText, flattened } from '../lib/rich-text/rich-text.ts';
import type { Content } from './content.ts';

/** The content with lists, tables and headings laid out as plain text. */
export function withoutLayout(content: Content, isSms: boolean): Content {
  const flat = (rich: RichText) => flattened(isSms ? withGsmMarks(rich) : rich);
  const items = content.items.map((item) => ({
    ...item,
    pieces: item.pieces.map((piece) =>
      piece.kind === 'text'
        ? { ...piece, rich: flat(piece.rich) }
        : { ...piece, caption: flat(piece.caption) },
    ),
  }));
  return { ...content, items };
}

const GSM_MARKS: Readonly<Record<string, string>> = { '•': '-', '☑': '[x]', '☐': '[ ]', '—': '-' };

/** A bullet outside the GSM alphabet would more than double the size of the SMS. */
function withGsmMarks(rich: RichText): RichText {
  return rich.map(({ text, look }) => ({
    text:
      look.margin || look.rule
        ? text.replaceAll(/[•☑☐—]/g, (mark) => GSM_MARKS[mark] ?? mark)
        : text,
    look,
  }));
}
