import {
  type Delimiters,
  MARKDOWN_DELIMITERS,
  escapeAround,
  escapeMarkdown,
} from '../../lib/rich-text/writers.ts';

/* Discord's markup. https://docs.discord.com/developers/reference#message-formatting */

/** Discord turns URLs into links and parses no markup inside them. */
const URL_IN_TEXT = /(https?:\/\/[^\s<]+[^\s<.,:;"'\]])/;
/** An emoji name, which Discord would show as the emoji. */
const EMOJI_COLON = /:(?=[\w+-]+:)/g;

export const DISCORD_DELIMITERS: Delimiters = {
  ...MARKDOWN_DELIMITERS,
  escape: (text) =>
    escapeAround(text, URL_IN_TEXT, (part) =>
      escapeMarkdown(part).replaceAll(EMOJI_COLON, String.raw`\:`),
    ),
  longer: ['code'],
  link: (text, url) => `[${text}](<${url.replaceAll(/[<>\s]/g, encodeURIComponent)}>)`,
};

/** https://support.discord.com/hc/en-us/articles/210298617: no tables, no rules, three heading levels. */
export const DISCORD_LAYOUT = { tables: false, headings: 3, rules: false };
