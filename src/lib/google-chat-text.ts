import type { RichText } from './rich-text.ts';
import { type Signs, escapeMarkdown, toSigns } from './rich-writers.ts';

/*
 * Markdown as Google Chat reads it: CommonMark, with more to it.
 * https://developers.google.com/workspace/chat/format-messages
 */

/** Parentheses may stand in an address in pairs; other signs at its end do not belong to it. */
const ADDRESS = /(https?:\/\/(?:\([^\s<>()]*\)|[^\s<>()])+(?<![.,:;!?"'\]}]))/;
/** Where a word would be read as an entity of HTML, or a line as the underline of a heading. */
const MORE = /&(?=#?\w+;)|^=/g;

const SIGNS: Signs = {
  bold: '**',
  italic: '*',
  strike: '~~',
  code: '`',
  block: '```',
  // An address in brackets is one, whatever signs are in it.
  escape: (text) =>
    text
      .split(ADDRESS)
      .map((part, i) =>
        i % 2 === 1 ? `<${part}>` : escapeMarkdown(part).replaceAll(MORE, String.raw`\$&`),
      )
      .join(''),
  // A backtick inside of code would end it.
  escapeCode: (text) => text.replaceAll('`', 'ˋ'),
  link: (text, url) => `[${text}](<${url.replaceAll(/[<>\s]/g, encodeURIComponent)}>)`,
};

const BLOCK = /(```\n[^]*?\n```\n)/;

/** CommonMark joins lines that do not end in two spaces, and takes far indented ones for code. */
export function toChatMarkdown(rich: RichText): string {
  return toSigns(rich, SIGNS)
    .split(BLOCK)
    .map((part, i) =>
      i % 2 === 1
        ? part
        : part
            .replaceAll(/^(?: {4,}|\t)/gm, (space) => '\u00a0'.repeat(Math.max(space.length, 4)))
            .replaceAll(/(?<=\S)\n(?=\S)/g, '  \n'),
    )
    .join('');
}
