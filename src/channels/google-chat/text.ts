import { toMarkdownBlocks } from '../../lib/rich-markdown.ts';
import type { RichText } from '../../lib/rich-text.ts';
import { type Signs, escapeMarkdown } from '../../lib/rich-writers.ts';

/*
 * Markdown as Google Chat reads it: CommonMark, with more to it.
 * https://developers.google.com/workspace/chat/format-messages
 */

const ADDRESS = /(https?:\/\/[^\s<>]+)/;

/** Signs at the end do not belong to an address; a closing parenthesis does when it was opened there. */
function bracketed(written: string): string {
  let end = written.length;
  let open = written.split('(').length - written.split(')').length;
  for (; end > 0; end--) {
    const last = written.charAt(end - 1);
    if (last === ')' && open < 0) open++;
    else if (!/[.,:;!?"'\]}]/.test(last)) break;
  }
  return `<${written.slice(0, end)}>${escapeMarkdown(written.slice(end))}`;
}

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
      .map((part, i) => (i % 2 === 1 ? bracketed(part) : escapeMarkdown(part)))
      .join(''),
  longer: ['code', 'block'],
  indents: 'code',
  link: (text, url) => `[${text}](<${url.replaceAll(/[<>\s]/g, encodeURIComponent)}>)`,
  isCommonMark: true,
};

/** Neither tables nor headings are documented. */
const LAYOUT = { tables: false, headings: 0, rules: false };

/** Lines of code, or the end of a line within a paragraph. */
const BLOCK_OR_BREAK = /(`{3,})[^`\n]*\n[^]*?\n[> ]*\1(?:\n|$)|(?<=[^\n])\n(?=[^\n])/g;

/** CommonMark joins lines that do not end in two spaces. */
export function toChatMarkdown(rich: RichText): string {
  return toMarkdownBlocks(rich, SIGNS, LAYOUT).replaceAll(BLOCK_OR_BREAK, (found) =>
    found === '\n' ? '  \n' : found,
  );
}
