import { type FormatRule, INDENTED_LINE } from '../../lib/rich-text/accidental-formats.ts';
import { toMarkdownBlocks } from '../../lib/rich-text/markdown.ts';
import type { RichText } from '../../lib/rich-text/rich-text.ts';
import {
  type Delimiters,
  MARKDOWN,
  escapeAround,
  escapeMarkdown,
  percentEncoded,
} from '../../lib/rich-text/writers.ts';

/*
 * Talk's Markdown is GitHub's, with line breaks as written. The web client does not parse `<URL>`, so link URLs are
 * written without angle brackets:
 * https://github.com/nextcloud-libraries/nextcloud-vue/tree/main/src/components/NcRichText
 */

export function toTalk(rich: RichText): string {
  return toMarkdownBlocks(rich, DELIMITERS, { tables: true, headings: 6, rules: true });
}

/** Lines indented by four spaces become code, and Markdown has no escape for that. */
export const TALK_FORMATS: readonly FormatRule[] = [INDENTED_LINE];

/** Clients parse no markup inside URLs, and an escaping backslash would become part of the URL. */
const URL_IN_TEXT = /((?:https?:\/\/|(?<!\w)www\.)[^\s<>]+)/;

/** The server finds mentions before the clients read Markdown; it finds none after a backslash. */
const MENTION = /(?<!\w)@(?=["\w@.'-])/g;

function escape(text: string): string {
  return escapeAround(text, URL_IN_TEXT, (part) =>
    escapeMarkdown(part).replaceAll(MENTION, String.raw`\@`),
  );
}

const DELIMITERS: Delimiters = {
  ...MARKDOWN,
  escape,
  link: (text, url) => `[${text}](${url.replaceAll(/[()<>\s\\]/g, percentEncoded)})`,
};
