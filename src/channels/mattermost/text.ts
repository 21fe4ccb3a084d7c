import {
  EMOJI_NAME,
  type FormatRule,
  INDENTED_LINE,
} from '../../lib/rich-text/accidental-formats.ts';
import { toMarkdownBlocks } from '../../lib/rich-text/markdown.ts';
import type { RichText } from '../../lib/rich-text/rich-text.ts';
import { type Delimiters, MARKDOWN_DELIMITERS } from '../../lib/rich-text/writers.ts';

/*
 * Mattermost's Markdown. https://docs.mattermost.com/end-user-guide/collaborate/format-messages.html
 * The escape rules are those of the web client's parser: https://github.com/mattermost/marked, lib/marked.js.
 */

export function toMattermost(rich: RichText): string {
  return toMarkdownBlocks(rich, DELIMITERS, { tables: true, headings: 6, rules: true });
}

/** Mentions, emoji and formulas cannot be escaped, and no property of a post suppresses notifications of mentions. */
export const MATTERMOST_FORMATS: readonly FormatRule[] = [
  { as: 'mention', pattern: /(?<![\p{L}\p{N}])@[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}/gu },
  EMOJI_NAME,
  { as: 'math', pattern: /\B\$[^$\n]{1,1000}\$(?!\w)/g },
  INDENTED_LINE,
];

/**
 * A URL contains no markup, and a backslash would become part of it. Without a scheme, it is recognized only at the
 * beginning of a line or after an escaped character.
 */
const URL_START =
  /\b(?:https?|ftp):\/\/|\b(?:mailto|tel):|\bwww\d{0,3}\.|(?<=^|[`*~|[\]])[\p{L}\d.-]+\.\p{L}{2,4}\//gu;
const URL_PART = /[^\s`!()[\]{;:'",<>?]|[`![\]{;:'",<>?](?=[^\s()<>])|\([^\s()<>]*\)/uy;

/** Alternates text and URLs, starting with text. */
function splitUrls(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const { 0: start, index } of text.matchAll(URL_START)) {
    const begin = index + start.length;
    if (index < from) continue;
    URL_PART.lastIndex = begin;
    let end = begin;
    while (URL_PART.test(text)) end = URL_PART.lastIndex;
    if (end === begin) continue;
    parts.push(text.slice(from, index), text.slice(index, end));
    from = end;
  }
  return [...parts, text.slice(from)];
}

function escape(text: string): string {
  const parts = splitUrls(text);
  return parts
    .map((part, i) => (i % 2 === 1 ? part : escapeWords(part, parts[i + 1] ?? '')))
    .join('')
    .replace(/^[#>+-]/, String.raw`\$&`)
    .replace(/^(\d+)\./, String.raw`$1\.`)
    .replace(/^=(?==*$)/, '&#61;');
}

/** An underscore within a word is not markup. A URL in angle brackets would lose the brackets. */
const SPECIAL = /\\+|[`*~|[\]]|(?<!\w)_|_(?!\w)|&(?=#?\w+;)|<(?=[^ >]+(?:@|:\/)|www\d{0,3}\.|$)/g;

function escapeWords(text: string, next: string): string {
  return text.replaceAll(SPECIAL, (match, at: number) => {
    if (match === '&') return '&amp;';
    if (match === '<') return '&lt;';
    if (!match.startsWith('\\')) return `\\${match}`;
    return escapedSlashes(match.length, text.charAt(at + match.length) || next.charAt(0));
  });
}

/** Two backslashes render as one, except before a letter or digit, where a final pair renders as two. */
function escapedSlashes(count: number, after: string): string {
  if (!/[A-Za-z0-9]/.test(after)) return '\\'.repeat(2 * count);
  return '\\'.repeat(Math.max(1, 2 * count - 2));
}

const DELIMITERS: Delimiters = {
  ...MARKDOWN_DELIMITERS,
  escape,
  longer: ['code', 'block'],
  indents: 'code',
  link: (text, url) => `[${text}](<${url.replaceAll(/[<>\s]/g, encodeURIComponent)}>)`,
};
