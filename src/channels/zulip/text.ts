import { INDENTED_LINE } from '../../lib/rich-text/accidental-formats.ts';
import { toMarkdownBlocks } from '../../lib/rich-text/markdown.ts';
import type { RichText } from '../../lib/rich-text/rich-text.ts';
import {
  type Delimiters,
  MARKDOWN_DELIMITERS,
  escapeAround,
  percentEncoded,
} from '../../lib/rich-text/writers.ts';

/*
 * Zulip's Markdown. https://zulip.com/help/format-your-message-using-markdown
 * It has no backslash escapes, but HTML entities, which are never read as markup.
 */

export function toZulip(rich: RichText): string {
  // A message with this beginning would be a command or a poll.
  const markdown = toMarkdownBlocks(rich, DELIMITERS, { tables: true, headings: 6, rules: true });
  return markdown.replace(/^\s*\/(?=\w)/, entity);
}

/** Deeply indented lines always become code. */
export const ZULIP_FORMATS = [INDENTED_LINE];

const entity = (text: string): string =>
  text.replaceAll(/\S/g, (character) => `&#${character.charCodeAt(0)};`);

/** A URL contains no markup, and an entity would become part of it. */
const URL_IN_TEXT = /(https?:\/\/[^\s<>"]+)/;

/** Markup anywhere in a line. `@` and `#` begin a mention or a link when a name in bold follows. */
const ANYWHERE =
  /[*`~[\]|]|\$(?=\$)|&(?=#?\w+;)|<(?=time:)|[@#](?![A-Za-z0-9])|:(?=[\w+-]{1,64}:)(?!(?!100:)\d+:)/g;
/** Markup at the beginning of a line. */
const AT_START = /^[#>+-]/;

function escape(text: string): string {
  return escapeAround(text, URL_IN_TEXT, (part) => part.replaceAll(ANYWHERE, entity))
    .replace(AT_START, entity)
    .replace(/^(\d+)([.)])/, (_, number: string, delimiter: string) => number + entity(delimiter));
}

const DELIMITERS: Delimiters = {
  ...MARKDOWN_DELIMITERS,
  escape,
  longer: ['code', 'block'],
  indents: 'code',
  link: linkTo,
};

/** A link around rendered text. */
export function linkTo(text: string, url: string): string {
  return `[${text}](${url.replaceAll(/[()<>\s]/g, percentEncoded)})`;
}
