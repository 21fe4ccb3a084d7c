import { toMarkdownBlocks } from '../../lib/rich-text/markdown.ts';
import type { RichText } from '../../lib/rich-text/rich-text.ts';
import {
  type Delimiters,
  MARKDOWN,
  escapeAround,
  escapeMarkdown,
} from '../../lib/rich-text/writers.ts';

/* Google Chat's Markdown: CommonMark with extensions. https://developers.google.com/workspace/chat/format-messages */

const URL_IN_TEXT = /(https?:\/\/[^\s<>]+)/;

/** Trailing punctuation is not part of a URL; a closing parenthesis is, if it was opened there. */
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

const DELIMITERS: Delimiters = {
  ...MARKDOWN,
  // Chat reads no markup in a bracketed URL.
  escape: (text) => escapeAround(text, URL_IN_TEXT, escapeMarkdown, bracketed),
  link: (text, url) => `[${text}](<${url.replaceAll(/[<>\s]/g, encodeURIComponent)}>)`,
};

/** Neither tables nor headings are documented. */
const LAYOUT = { tables: false, headings: 0, rules: false };

/** A code block, or a line break within a paragraph. */
const BLOCK_OR_BREAK = /(`{3,})[^`\n]*\n[^]*?\n[> ]*\1(?:\n|$)|(?<=[^\n])\n(?=[^\n])/g;

/** CommonMark joins lines that do not end in two spaces. */
export function toChatMarkdown(rich: RichText): string {
  return toMarkdownBlocks(rich, DELIMITERS, LAYOUT).replaceAll(BLOCK_OR_BREAK, (found) =>
    found === '\n' ? '  \n' : found,
  );
}
