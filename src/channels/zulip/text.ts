import { INDENTED_LINE } from '../../lib/formatting.ts';
import { toMarkdownBlocks } from '../../lib/rich-markdown.ts';
import type { RichText } from '../../lib/rich-text.ts';
import type { Signs } from '../../lib/rich-writers.ts';

/*
 * Zulip's Markdown. https://zulip.com/help/format-your-message-using-markdown
 * It knows no backslashes, but it knows HTML's entities, and what they stand for is never markup.
 */

export function toZulip(rich: RichText): string {
  // A message that begins so would be a command or a poll.
  const written = toMarkdownBlocks(rich, SIGNS, { tables: true, headings: 6, rules: true });
  return written.replace(/^\s*\/(?=\w)/, entity);
}

/** Nothing keeps far indented lines from being code. */
export const ZULIP_FORMATS = [INDENTED_LINE];

const entity = (text: string): string =>
  text.replaceAll(/\S/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** In an address nothing is markup, and an entity would become part of it. */
const ADDRESS = /(https?:\/\/[^\s<>"]+)/;

/** What is markup anywhere. The last but one is a mention or a link, with a bold name behind it. */
const ANYWHERE =
  /[*`~[\]|]|\$(?=\$)|&(?=#?\w+;)|<(?=time:)|[@#](?![A-Za-z0-9])|:(?=[\w+-]{1,64}:)(?!(?!100:)\d+:)/g;
/** What is markup at the beginning of a line. */
const AT_START = /^[#>+-]/;

function escape(text: string): string {
  return text
    .split(ADDRESS)
    .map((part, i) => (i % 2 === 1 ? part : part.replaceAll(ANYWHERE, entity)))
    .join('')
    .replace(AT_START, entity)
    .replace(/^(\d+)([.)])/, (_, number: string, sign: string) => number + entity(sign));
}

const SIGNS: Signs = {
  bold: '**',
  italic: '*',
  strike: '~~',
  code: '`',
  block: '```',
  escape,
  longer: ['code', 'block'],
  indents: 'code',
  link: linkTo,
};

/** A link around a text that is written already. */
export function linkTo(text: string, url: string): string {
  return `[${text}](${url.replaceAll(/[()<>\s]/g, percent)})`;
}

const percent = (sign: string): string =>
  `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
