import type { FormatRule } from '../../lib/rich-text/accidental-formats.ts';
import type { RichText } from '../../lib/rich-text/rich-text.ts';
import {
  type Delimiters,
  escapeAround,
  hasClash,
  percentEncoded,
  withDelimiters,
} from '../../lib/rich-text/writers.ts';

/*
 * Rocket.Chat's Markdown, by its own parser:
 * https://github.com/RocketChat/Rocket.Chat/blob/develop/packages/message-parser/src/grammar.pegjs
 * A backslash escapes some characters, and the start of a timestamp. The others are sent as they are.
 */

export function toRocketChat(rich: RichText): string {
  return withDelimiters(rich, DELIMITERS);
}

export const hasRocketChatClash = (rich: RichText): boolean => hasClash(rich, DELIMITERS);

/** No parameter of chat.postMessage suppresses notifications of mentions. */
export const ROCKETCHAT_FORMATS: readonly FormatRule[] = [
  { as: 'mention', pattern: /(?<![\p{L}\p{N}])@[\p{L}\p{N}_.-]{1,100}/gu },
  // Names may contain dots here.
  { as: 'emoji', pattern: /:(?!(?!100:)\d+:)[\w+.-]{1,64}:/g },
  { as: 'link', pattern: /\[[^\n]{0,500}?\]\([^\s)]{1,500}\)|<[^\s|>]{1,500}\|[^\n|>]{1,500}>/g },
  { as: 'spoiler', pattern: /\|\|[^|][^]{0,1000}?\|\|/g },
  { as: 'quote', pattern: /^>.*/gm },
  { as: 'list', pattern: /^-[ \t].*/gm },
  { as: 'rule', pattern: /^[ \t]*-{3,}[ \t]*$/gm },
];

/**
 * A URL contains no markup, and a backslash would become part of it. Words with a dot are read as URLs, up to the next
 * space.
 */
const URL_IN_TEXT =
  /((?<=^|[*_~`:<[\]!\s()\\|])(?:[A-Za-z0-9+-]{1,32}:\/\/|(?!_)[^\s.,!%~*"':;()=$@&+#?\\/|<>`[\]]+\.[^\s.,!%~*"':;()=$@&+#?\\/|<>`[\]])\S*)/u;

function escape(text: string): string {
  return escapeAround(text, URL_IN_TEXT, escapeWords).replace(/^(\d+)\./, String.raw`$1\.`);
}

function escapeWords(text: string): string {
  return text.replaceAll(/[*_~`#]|(?<=\\)\.|<(?=t:[\dT:.+-])/g, String.raw`\$&`);
}

const DELIMITERS: Delimiters = {
  bold: '*',
  italic: '_',
  strike: '~',
  code: '`',
  block: '```',
  escape,
  link: (text, url) => `[${text}](${url.replaceAll(/[()<>\s]/g, percentEncoded)})`,
};
