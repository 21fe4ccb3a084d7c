import { zulip } from '../../../src/channels/zulip/channel.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import {
  BEFORE,
  EMAIL,
  FIRST,
  KEY,
  limited,
  openZulip,
  zulipError,
} from '../../emulators/zulip.ts';
import { WITHOUT_ANSWER, WITHOUT_ID, transient } from '../faults.ts';
import { BEHIND_GATEWAY, ODD_TEXTS, WITHOUT_ADDRESS, WITHOUT_TOKEN } from '../self-hosted.ts';
import { type Case, testChannel } from '../suite.ts';
import { UPLOADS } from './uploads.ts';

type ZulipCase = Case<Request, Reply | ConnectionFault>;

const TO = 'general/greetings';
const SENT = { outcome: 'sent', id: FIRST } as const;
const EARLIER = { id: BEFORE, recipient: TO };
const STREAM = { type: 'stream', to: '"general"', topic: 'greetings' };

/** Each text and the request body expected for it. */
const TEXTS: Readonly<Record<string, readonly [string, string?]>> = {
  ...Object.fromEntries(Object.entries(ODD_TEXTS).map(([name, text]) => [name, [text]])),
  'Markdown characters': [
    '*a* ~~c~~ `d` [e](f) |i| $$x$$ _b_ \\*',
    '&#42;a&#42; &#126;&#126;c&#126;&#126; &#96;d&#96; &#91;e&#93;(f) &#124;i&#124; &#36;$x&#36;$ _b_ \\&#42;',
  ],
  'heading-, quote- and list-like lines': [
    '# a\n> b\n- c\n+ d\n12. e\nf # g - h',
    '&#35; a\n&#62; b\n&#45; c\n&#43; d\n12&#46; e\nf &#35; g - h',
  ],
  'code-like lines': ['a\n    b\n\tc', 'a\n    b\n\tc'],
  'entities unchanged': ['&lt; & &#42;', '&#38;lt; & &#38;#42;'],
  'mentions without effect': [
    '@**all** @_**Ada** @*team* #**general** a@b.example #1',
    '&#64;&#42;&#42;all&#42;&#42; &#64;_&#42;&#42;Ada&#42;&#42; &#64;&#42;team&#42; &#35;&#42;&#42;general&#42;&#42; a@b.example #1',
  ],
  'emoji names as plain text': [':smile: :+1: 12:30:45', '&#58;smile: &#58;+1: 12:30:45'],
  'a timestamp as plain text': ['<time:2026-01-01> <b>', '&#60;time:2026-01-01> <b>'],
  'command-like text': ['/poll Which?\n/me', '&#47;poll Which?\n/me'],
  'addresses unchanged': ['see https://example.com/a*b*c#d:e:'],
  'the longest text': ['x'.repeat(10_000)],
  'the longest text of emoji': ['👋'.repeat(10_000)],
};

const texts = Object.entries(TEXTS).map(([name, [text, content = text]]): ZulipCase => ({
  it: `sends ${name}`,
  message: { text },
  sees: [{ method: 'POST', path: '/api/v1/messages', form: { ...STREAM, content } }],
  outcome: SENT,
}));

const refusal = (
  blame: 'credentials' | 'recipient' | 'content',
  msg: string,
  more: { status?: number; code?: string } = {},
): ZulipCase => ({
  it: `blames the ${blame} for ${more.code ?? ''} ${msg}`,
  answers: [zulipError(msg, more)],
  outcome: { outcome: 'permanent', blame, code: more.code ?? 'BAD_REQUEST', detail: msg },
});

const unsupported = { outcome: 'permanent', blame: 'unsupported', code: 'BAD_REQUEST' } as const;

testChannel(zulip, {
  open: openZulip,
  credentials: ({ url }) => ({ address: url, username: EMAIL, token: KEY }),
  recipient: TO,
  cases: [
    ...texts,
    {
      it: 'authenticates in a header',
      sees: [
        {
          headers: {
            authorization: `Basic ${Buffer.from(`${EMAIL}:${KEY}`).toString('base64')}`,
            'content-type': 'application/x-www-form-urlencoded',
          },
        },
      ],
      outcome: SENT,
    },
    {
      it: 'sends a text one character over the limit as two messages',
      message: { text: '👋'.repeat(10_001) },
      sees: [{}, { form: { ...STREAM, content: '👋' } }],
      outcome: { outcome: 'sent', id: '9007199254740994' },
    },
    ...(
      [
        ['core team/a/b', { to: '"core team"', topic: 'a/b' }],
        ['general/', { to: '"general"', topic: '' }],
        ['日本/挨拶', { to: '"日本"', topic: '挨拶' }],
        ['9/a stream that is named like a number', { to: '"9"' }],
        ['9', { type: 'direct', to: '[9]' }],
        ['9,10,11', { type: 'direct', to: '[9,10,11]' }],
      ] as const
    ).map(([recipient, form]): ZulipCase => ({
      it: `sends to ${recipient}`,
      message: { recipient },
      sees: [{ form }],
      outcome: SENT,
    })),
    {
      it: 'sends formatted text as Markdown and escapes everything else',
      message: {
        text: '**bo\\*ld** *it* ~~no~~ `x*y` [a](https://example.com/a_(b)) @**all**\n\n```\ncode *\n```',
        object: { mediaType: 'text/markdown' },
      },
      sees: [
        {
          form: {
            content:
              '**bo&#42;ld** *it* ~~no~~ `x*y` [a](https://example.com/a_%28b%29) &#64;**all**\n\n```\ncode *\n```\n',
          },
        },
      ],
      outcome: SENT,
    },
    ...UPLOADS,
    {
      it: 'sends to a thread, which is a topic',
      message: { context: 'farewells' },
      sees: [{ form: { ...STREAM, topic: 'farewells' } }],
      outcome: SENT,
    },
    {
      it: "stays in an earlier message's topic",
      message: { context: BEFORE },
      sees: [{ form: STREAM }],
      outcome: SENT,
    },
    {
      it: 'ignores threads in direct messages',
      message: { recipient: '9', context: 'farewells' },
      outcome: SENT,
    },

    {
      it: 'blames the recipient when the stream does not exist',
      message: { recipient: 'nowhere/x' },
      outcome: { outcome: 'permanent', blame: 'recipient', code: 'STREAM_DOES_NOT_EXIST' },
    },
    {
      it: 'blames an unknown recipient',
      message: { recipient: '8' },
      outcome: {
        outcome: 'permanent',
        blame: 'recipient',
        code: 'BAD_REQUEST',
        detail: 'Invalid user ID 8',
      },
    },
    {
      it: 'blames the content when the text is empty',
      message: { text: ' ' },
      outcome: { outcome: 'permanent', blame: 'content', code: 'BAD_REQUEST', detail: 'empty' },
    },
    {
      it: 'blames the credentials when the key is wrong',
      credentials: { token: 'fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: 'INVALID_API_KEY' },
    },
    refusal('credentials', 'Account is deactivated', { status: 401, code: 'USER_DEACTIVATED' }),
    refusal('credentials', 'Invalid subdomain', { status: 404, code: 'NONEXISTENT_SUBDOMAIN' }),
    refusal('recipient', 'You do not have permission to post in this channel.'),
    refusal('content', 'Something new', { code: 'REQUEST_VARIABLE_INVALID' }),
    ...WITHOUT_ADDRESS,
    ...WITHOUT_TOKEN,
    ...['', 'bot:x@example.org', 'bot @example.org'].map((username): ZulipCase => ({
      it: `sends no request with the malformed email ${JSON.stringify(username)}`,
      credentials: { username },
      sees: [],
      outcome: { outcome: 'permanent', blame: 'credentials' },
    })),

    {
      it: 'rate limited: waits as long as the body says',
      answers: [limited('28.706807374954224', { 'retry-after': 28.706807374954224 })],
      outcome: { outcome: 'limited', scope: 'integration', seconds: 29, code: 'RATE_LIMIT_HIT' },
    },
    {
      it: 'rate limited: waits as long as the header says',
      answers: [limited('3')],
      outcome: { outcome: 'limited', scope: 'integration', seconds: 3, code: 'RATE_LIMIT_HIT' },
    },
    {
      it: 'rate limited: waits when the response gives no time',
      answers: [{ status: 429, body: 'slow down' }],
      outcome: { outcome: 'limited', scope: 'integration', code: '429' },
    },
    {
      it: 'retries after a server error: the message may have been sent',
      answers: [zulipError('Internal server error', { status: 500 })],
      outcome: { ...transient(true, 'BAD_REQUEST'), detail: 'Internal server error' },
    },
    ...BEHIND_GATEWAY,
    ...WITHOUT_ID,
    ...WITHOUT_ANSWER,

    {
      it: 'edits a message',
      calls: 'edit',
      earlier: EARLIER,
      message: { text: '*after*' },
      sees: [
        { method: 'PATCH', path: '/api/v1/messages/42', form: { content: '&#42;after&#42;' } },
      ],
      outcome: { outcome: 'sent', id: BEFORE },
    },
    ...[
      'Invalid message(s)',
      "You don't have permission to edit this message",
      'The time limit for editing this message has passed',
    ].map((msg): ZulipCase => ({
      it: `cannot edit: ${msg}`,
      calls: 'edit',
      earlier: EARLIER,
      answers: [zulipError(msg)],
      outcome: unsupported,
    })),
    {
      it: 'deletes a message',
      calls: 'remove',
      earlier: EARLIER,
      sees: [{ method: 'DELETE', path: '/api/v1/messages/42', text: '' }],
      outcome: { outcome: 'sent' },
    },
    {
      it: 'treats deleting a missing message as done',
      calls: 'remove',
      earlier: { ...EARLIER, id: '43' },
      outcome: { outcome: 'sent' },
    },
    {
      it: 'cannot delete a message without permission',
      calls: 'remove',
      earlier: EARLIER,
      answers: [zulipError("You don't have permission to delete this message")],
      outcome: unsupported,
    },

    {
      it: 'check: names the key’s owner and sends nothing',
      calls: 'check',
      sees: [{ method: 'GET', path: '/api/v1/users/me' }],
      outcome: { outcome: 'known', as: 'Example Bot' },
    },
    {
      it: 'check: rejects an unknown key',
      calls: 'check',
      credentials: { token: 'fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: 'INVALID_API_KEY' },
    },
  ],
});
