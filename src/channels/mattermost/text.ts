import type { RichText } from '../../lib/rich-text.ts';
import { type Signs, toSigns } from '../../lib/rich-writers.ts';

/*
 * Mattermost's Markdown. https://docs.mattermost.com/end-user-guide/collaborate/format-messages.html
 * What may be escaped, and what not, is as its web client reads it (github.com/mattermost/marked).
 */

const ZERO_WIDTH_SPACE = '\u200b';
const NO_BREAK_SPACE = '\u00a0';

export function toMattermost(rich: RichText): string {
  const unindented = rich.map(({ text, look }) => ({
    text: look.block ? text : withoutIndents(text),
    look,
  }));
  return toSigns(unindented, SIGNS);
}

/** Four spaces would begin lines of code. */
function withoutIndents(text: string): string {
  return text.replaceAll(/^(?: {4}| {0,3}\t)[ \t]*/gm, (indent) =>
    indent.replaceAll('\t', '    ').replaceAll(' ', NO_BREAK_SPACE),
  );
}

/** In an address nothing is markup, and a backslash would become part of it. */
const ADDRESS = /(https?:\/\/[^\s<>"]+)/;

function escape(text: string): string {
  return text
    .split(ADDRESS)
    .map((part, i) => (i % 2 === 1 ? part : escapeWords(part, i === 0)))
    .join('');
}

function escapeWords(text: string, isStart: boolean): string {
  const escaped = text
    // A backslash is one, unless a sign follows.
    .replaceAll(/(?<!\\)\\+(?=[`*_~|[\]])/g, (slashes) => slashes.repeat(2))
    .replaceAll(/[`*_~|[\]]/g, String.raw`\$&`)
    .replaceAll(/&(?=#?\w+;)/g, '&amp;')
    // Neither names nor emoji can be escaped: they are interrupted by what nobody sees.
    .replaceAll(/(?<![\p{L}\p{N}])@(?=[\p{L}\p{N}])/gu, `@${ZERO_WIDTH_SPACE}`)
    .replaceAll(/:(?=[\w+-]{1,64}:)(?!(?!100:)\d+:)/g, `:${ZERO_WIDTH_SPACE}`);
  if (!isStart) return escaped;
  return escaped
    .replace(/^([#>+-])/, '\\$1')
    .replace(/^(\d+)([.)])/, '$1\\$2')
    .replace(/^=+$/, `${ZERO_WIDTH_SPACE}$&`);
}

const SIGNS: Signs = {
  bold: '**',
  italic: '*',
  strike: '~~',
  code: '`',
  block: '```',
  escape,
  // A backtick inside of code would end it.
  escapeCode: (text) => text.replaceAll('`', 'ˋ'),
  link: (text, url) => `[${text}](<${url.replaceAll(/[<>\s]/g, encodeURIComponent)}>)`,
};
