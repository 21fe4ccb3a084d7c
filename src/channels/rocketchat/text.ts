import type { RichText } from '../../lib/rich-text.ts';
import { type Signs, toSigns } from '../../lib/rich-writers.ts';

/*
 * Rocket.Chat's Markdown, as its own parser reads it:
 * https://github.com/RocketChat/Rocket.Chat/blob/develop/packages/message-parser/src/grammar.pegjs
 * A backslash escapes some signs. The others are kept from meaning anything by a space of no width.
 */

const ZERO_WIDTH_SPACE = '\u200b';

export function toRocketChat(rich: RichText): string {
  return toSigns(rich, SIGNS);
}

/** In an address nothing is markup, and a backslash would become part of it. */
const ADDRESS = /(https?:\/\/[^\s<>"]+)/;

function escape(text: string): string {
  return text
    .split(ADDRESS)
    .map((part, i) => (i % 2 === 1 ? part : escapeWords(part)))
    .join('')
    .replace(/^[>-]/, `${ZERO_WIDTH_SPACE}$&`)
    .replace(/^(\d+)\./, String.raw`$1\.`);
}

function escapeWords(text: string): string {
  return (
    text
      .replaceAll(/[*_~`#]|(?<=\\)\./g, String.raw`\$&`)
      // Links, spoilers, times, names and emoji, in this order.
      .replaceAll(/\](?=[( ])|\|(?=\|)|<(?=\w|$)|@(?=[\w.-])/g, `$&${ZERO_WIDTH_SPACE}`)
      .replaceAll(/:(?=[\w+\\-]{1,64}:)(?!(?!100:)\d+:)/g, `:${ZERO_WIDTH_SPACE}`)
  );
}

const SIGNS: Signs = {
  bold: '*',
  italic: '_',
  strike: '~',
  code: '`',
  block: '```',
  escape,
  // A backtick inside of code would end it.
  escapeCode: (text) => text.replaceAll('`', 'ˋ'),
  link: (text, url) => `[${text}](${url.replaceAll(/[()<>\s]/g, percent)})`,
};

const percent = (sign: string): string =>
  `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
