import { CHANNELS } from '../../emulators/discord/api.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import type { Case } from '../suite.ts';

/* The expected form of texts sent to Discord. */

type DiscordCase = Case<Request, Reply | ConnectionFault>;

const PATH = `/channels/${CHANNELS.text}/messages`;
const SENT = { outcome: 'sent', id: `${CHANNELS.text}:1200000000000000001` } as const;

/** Each text and the request body expected for it. */
const TEXTS: Readonly<Record<string, readonly [string, string?]>> = {
  'ordinary text': ['Good morning! It is 5 - 3 (or so).'],
  emoji: ['👩‍👩‍👧‍👦 🏳️‍🌈 👋🏽'],
  'right-to-left text': ['שלום עולם مرحبا \u202eabc\u202c'],
  'line breaks, tabs and quotes': ['one\ntwo\n\t"three" four'],
  'markup characters as plain text': [
    '**b** _i_ ~~s~~ `c` ||x|| \\',
    '\\*\\*b\\*\\* \\_i\\_ \\~\\~s\\~\\~ \\`c\\` \\|\\|x\\|\\| \\\\',
  ],
  'heading-, list- and quote-like lines': ['# a\n- b\n1. c\n> d', '\\# a\n\\- b\n1\\. c\n\\> d'],
  'mentions and timestamps as plain text': [
    '<@1> <@&2> <#3> <t:4>',
    '\\<@1> \\<@&2> \\<#3> \\<t:4>',
  ],
  'an emoji name as plain text': [':smile: at 10:30:00', '\\:smile: at 10\\:30:00'],
  'addresses unchanged': [
    'see https://example.com/a_b_c?d=*e*, _f_',
    'see https://example.com/a_b_c?d=*e*, \\_f\\_',
  ],
  'link-like text as plain text': ['[a](https://example.com)', '\\[a\\](https://example.com)'],
  'the longest text': ['x'.repeat(2000)],
  'the longest escaped text': ['*'.repeat(1000), '\\*'.repeat(1000)],
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
