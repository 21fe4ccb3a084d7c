import { CHANNELS } from '../../emulators/discord/api.ts';
import type { Accident, Reply, Request } from '../../emulators/server/http.ts';
import type { Case } from '../suite.ts';

/* What a text must look like when it reaches Discord. */

type DiscordCase = Case<Request, Reply | Accident>;

const PATH = `/channels/${CHANNELS.text}/messages`;
const SENT = { outcome: 'sent', id: `${CHANNELS.text}:1200000000000000001` } as const;

/** What is written, and what must go over the wire. */
const TEXTS: Readonly<Record<string, readonly [string, string?]>> = {
  'ordinary text': ['Good morning! It is 5 - 3 (or so).'],
  emoji: ['👩‍👩‍👧‍👦 🏳️‍🌈 👋🏽'],
  'text from right to left': ['שלום עולם مرحبا \u202eabc\u202c'],
  'line breaks, tabs and quotes': ['one\ntwo\n\t"three" four'],
  'signs as mere signs': [
    '**b** _i_ ~~s~~ `c` ||x|| \\',
    '\\*\\*b\\*\\* \\_i\\_ \\~\\~s\\~\\~ \\`c\\` \\|\\|x\\|\\| \\\\',
  ],
  'what would be a heading, a list or a quotation': [
    '# a\n- b\n1. c\n> d',
    '\\# a\n\\- b\n1\\. c\n\\> d',
  ],
  'mentions and times as mere text': ['<@1> <@&2> <#3> <t:4>', '\\<@1> \\<@&2> \\<#3> \\<t:4>'],
  'the name of an emoji as mere text': [':smile: at 10:30:00', '\\:smile: at 10\\:30:00'],
  'addresses as they are': [
    'see https://example.com/a_b_c?d=*e*, _f_',
    'see https://example.com/a_b_c?d=*e*, \\_f\\_',
  ],
  'what would be a link as mere text': ['[a](https://example.com)', '\\[a\\](https://example.com)'],
  'the longest text': ['x'.repeat(2000)],
  'the longest text that has to be escaped': ['*'.repeat(1000), '\\*'.repeat(1000)],
};

export const texts: readonly DiscordCase[] = Object.entries(TEXTS).map(
  ([name, [text, request = text]]): DiscordCase => ({
    it: `sends ${name}`,
    message: { text },
    sees: [
      { method: 'POST', path: PATH, json: { content: request, allowed_mentions: { parse: [] } } },
    ],
    outcome: SENT,
  }),
);
