import { type Signs, escapeMarkdown } from '../../lib/rich-writers.ts';

/* Text as Discord reads it. https://docs.discord.com/developers/reference#message-formatting */

/** Addresses are links by themselves, and what stands in them is no markup. */
const ADDRESS = /(https?:\/\/[^\s<]+[^\s<.,:;"'\]])/;
/** The name of an emoji, which would be shown as the emoji. */
const SHORT_NAME = /:(?=[\w+-]+:)/g;

export const DISCORD_SIGNS: Signs = {
  bold: '**',
  italic: '*',
  strike: '~~',
  code: '`',
  block: '```',
  escape: (text) =>
    text
      .split(ADDRESS)
      .map((part, i) =>
        i % 2 === 1 ? part : escapeMarkdown(part).replaceAll(SHORT_NAME, String.raw`\:`),
      )
      .join(''),
  longer: ['code'],
  link: (text, url) => `[${text}](<${url.replaceAll(/[<>\s]/g, encodeURIComponent)}>)`,
};

/** https://support.discord.com/hc/en-us/articles/210298617: neither tables nor rules, three headings. */
export const DISCORD_LAYOUT = { tables: false, headings: 3, rules: false };
