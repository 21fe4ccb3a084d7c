import type { RichText } from './rich-text.ts';
import { type Signs, toSigns } from './rich-writers.ts';

/*
 * WhatsApp's markup. https://faq.whatsapp.com/539178204879377
 * There is no sign that escapes another. What would be read as markup is therefore written with signs that
 * look the same, and only where there are two of a kind at the borders of words: anything else, addresses
 * above all, stays as it is.
 */
export function toWhatsApp(rich: RichText): string {
  return toSigns(rich, SIGNS);
}

const TWINS: Readonly<Record<string, string>> = {
  '*': '\u2217',
  _: '\u02cd',
  '~': '\u223c',
  '`': '\u02cb',
};

/** At the beginning of a word, or at the end of one. */
const AT_BORDER = /(?<![\p{L}\p{N}])[*_~`](?=\S)|(?<=\S)[*_~`](?![\p{L}\p{N}])/gu;
/** What makes a line a quotation or an item of a list. */
const LINE_START = /^(?=(?:[>*-]|\d{1,3}\.) )/gm;
const INVISIBLE = '\u2060';
const ADDRESS = /(https?:\/\/\S+)/;

function escape(text: string): string {
  const lines = text.replaceAll(LINE_START, INVISIBLE);
  const counts = new Map<string, number>();
  for (const [sign] of lines.matchAll(AT_BORDER)) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  const twinOf = (sign: string) => ((counts.get(sign) ?? 0) > 1 ? (TWINS[sign] ?? sign) : sign);
  return lines
    .split(ADDRESS)
    .map((part, i) => (i % 2 === 1 ? part : part.replaceAll(AT_BORDER, twinOf)))
    .join('');
}

const SIGNS: Signs = {
  bold: '*',
  italic: '_',
  strike: '~',
  code: '`',
  block: '```',
  escape,
  escapeCode: (text) => text.replaceAll('`', '\u02cb'),
};
