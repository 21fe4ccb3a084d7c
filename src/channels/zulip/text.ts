import type { RichText } from '../../lib/rich-text.ts';
import { type Signs, toSigns } from '../../lib/rich-writers.ts';

/*
 * Zulip's Markdown. https://zulip.com/help/format-your-message-using-markdown
 * It knows no backslashes, but it knows HTML's entities, and what they stand for is never markup.
 */

const NO_BREAK_SPACE = '\u00a0';

export function toZulip(rich: RichText): string {
  const unindented = rich.map(({ text, look }) => ({
    text: look.block ? text : withoutIndents(text),
    look,
  }));
  // A message that begins so would be a command or a poll.
  return toSigns(unindented, SIGNS).replace(/^\s*\/(?=\w)/, entity);
}

/** Four spaces would begin lines of code. */
function withoutIndents(text: string): string {
  return text.replaceAll(/^(?: {4}| {0,3}\t)[ \t]*/gm, (indent) =>
    indent.replaceAll('\t', '    ').replaceAll(' ', NO_BREAK_SPACE),
  );
}

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
  // A backtick inside of code would end it.
  escapeCode: (text) => text.replaceAll('`', 'ˋ'),
  link: linkTo,
};

/** A link around a text that is written already. */
export function linkTo(text: string, url: string): string {
  return `[${text}](${url.replaceAll(/[()<>\s]/g, percent)})`;
}

const percent = (sign: string): string =>
  `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
