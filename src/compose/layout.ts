import { type RichText, flattened } from '../lib/rich-text.ts';
import type { Content } from './content.ts';

/** What its texts say without lists and the like, which are laid out in them. */
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

/** Bullets of ours are no reason for a text to take more than twice the room. */
function withGsmMarks(rich: RichText): RichText {
  return rich.map(({ text, look }) => ({
    text:
      look.margin || look.rule
        ? text.replaceAll(/[•☑☐—]/g, (mark) => GSM_MARKS[mark] ?? mark)
        : text,
    look,
  }));
}
