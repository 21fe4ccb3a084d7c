import assert from 'node:assert/strict';

import { ntfy } from '../../../src/channels/ntfy.ts';
import { FIRST, RESERVED, TOKEN, TOPIC, ntfyError, openNtfy } from '../../emulators/ntfy.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { WITHOUT_ANSWER, WITHOUT_ID, transient } from '../faults.ts';
import { BEHIND_GATEWAY, ODD_TEXTS, WITHOUT_ADDRESS, WITHOUT_TOKEN } from '../self-hosted.ts';
import { type Case, testChannel } from '../suite.ts';
import { assertListed, linkButton } from '../unsupported.ts';
import { OPTION_CASES } from './options.ts';

type NtfyCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: FIRST } as const;
const EARLIER = { id: 'fakeIdBefore', recipient: TOPIC };

/** Texts that must arrive unchanged. */
const TEXTS = {
  ...ODD_TEXTS,
  'Markdown-like text': '# *bold* _italic_ [a](https://example.com) `code` \\_ <b>',
  'the longest text': 'x'.repeat(4095),
  'the longest Markdown-like text': '*'.repeat(4095),
  'the longest text of emoji': '👋'.repeat(1023),
};

const texts = Object.entries(TEXTS).map(([name, message]): NtfyCase => ({
  it: `sends ${name}`,
  message: { text: message },
  sees: [{ method: 'POST', path: '/', text: JSON.stringify({ topic: TOPIC, message }) }],
  outcome: SENT,
}));

const refusal = (
  blame: 'credentials' | 'recipient' | 'content',
  code: number,
  error: string,
): NtfyCase => ({
  it: `blames the ${blame} for ${error}`,
  answers: [ntfyError(code, error)],
  outcome: { outcome: 'permanent', blame, code: String(code), detail: error },
});

const longLink = (length: number) => ({
  text: 'x'.repeat(4000),
  object: { attachment: Array.from({ length: 3 }, () => linkButton(length)) },
});

const media = (['Image', 'Video', 'Audio', 'Document'] as const).map((type): NtfyCase => ({
  it: `sends an attachment of type ${type}`,
  message: { object: { type, url: 'https://example.com/a', name: 'a', content: 'a *caption*' } },
  sees: [
    {
      json: {
        topic: TOPIC,
        message: 'a *caption*',
        attach: 'https://example.com/a',
        filename: 'a',
      },
    },
  ],
  outcome: SENT,
}));

const limit = (code: number, seconds: number): NtfyCase => ({
  it: `rate limited: waits ${seconds} seconds after ${code}`,
  answers: [ntfyError(code, 'limit reached')],
  outcome: { outcome: 'limited', scope: 'integration', seconds, code: String(code) },
});

testChannel(ntfy, {
  open: openNtfy,
  credentials: ({ url }) => ({ address: url, token: TOKEN }),
  recipient: TOPIC,
  cases: [
    ...OPTION_CASES,
    ...texts,
    {
      it: 'authenticates in a header',
      message: { recipient: RESERVED },
      sees: [{ headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' } }],
      outcome: SENT,
    },
    {
      it: 'sends without a token',
      credentials: { token: undefined },
      outcome: SENT,
    },
    {
      it: 'sends a text one character over the limit as two messages',
      message: { text: '*'.repeat(4096) },
      sees: [{}, { json: { message: '*' } }],
      outcome: { outcome: 'sent', id: 'fakeId000002' },
    },
    {
      it: 'splits a text so that each request fits after escaping',
      message: { text: '"'.repeat(4096), object: { name: 'x'.repeat(498) } },
      sees: [{ json: { title: 'x'.repeat(498) } }, {}],
      outcome: { outcome: 'sent', id: 'fakeId000002' },
    },
    {
      it: 'sends a file with a very long address as a link when the text is long',
      message: {
        object: {
          type: 'Image',
          url: `https://example.com/${'a'.repeat(4000)}`,
          content: 'x'.repeat(4000),
        },
      },
      also: (seen) => assert.ok(seen.every(({ text }) => !text.includes('"attach"'))),
      sees: [{}, {}],
      outcome: { outcome: 'sent', id: 'fakeId000002' },
    },
    {
      it: 'sends formatted text as Markdown and escapes everything else',
      message: {
        text: '**bo_ld** *it* `x*y` [a](https://example.com/)',
        object: { mediaType: 'text/markdown' },
      },
      sees: [
        {
          json: {
            message: '**bo\\_ld** *it* `x*y` [a](<https://example.com/>)',
            markdown: true,
          },
        },
      ],
      outcome: SENT,
    },
    {
      it: 'sends a title',
      message: { object: { name: 'Größe 😀' } },
      sees: [{ json: { title: 'Größe 😀', message: 'Good morning!' } }],
      outcome: SENT,
    },
    {
      it: 'sends a title over the limit above the text, uncut',
      message: { object: { name: 'x'.repeat(499) } },
      sees: [{ json: { message: `${'x'.repeat(499)}\nGood morning!` } }],
      outcome: SENT,
      also: ([seen]) => assert.doesNotMatch(seen?.text ?? '', /"title"/),
    },
    ...media,
    {
      it: 'sends an image without a caption, named after its file',
      message: { object: { type: 'Image', url: 'https://example.com/a.png' } },
      sees: [{ json: { topic: TOPIC, message: 'a.png', attach: 'https://example.com/a.png' } }],
      outcome: SENT,
    },
    {
      it: 'sends link buttons',
      message: {
        object: {
          attachment: [
            { type: 'Button', name: 'More', url: 'https://example.com/' },
            { type: 'Button', name: 'Write', url: 'mailto:ada@example.com' },
          ],
        },
      },
      sees: [
        {
          json: {
            actions: [
              { action: 'view', label: 'More', url: 'https://example.com/' },
              { action: 'view', label: 'Write', url: 'mailto:ada@example.com' },
            ],
          },
        },
      ],
      outcome: SENT,
    },
    {
      it: 'sends the maximum number of buttons',
      message: longLink(950),
      sees: [{ json: { actions: [{}, {}, {}] } }],
      outcome: SENT,
    },
    {
      it: 'lists all buttons when they exceed the request limit',
      message: longLink(2048),
      sees: [{}, {}, {}, {}],
      outcome: { outcome: 'sent', id: 'fakeId000004' },
      also(seen) {
        assert.ok(seen.every(({ text }) => !text.includes('"actions"')));
        assertListed(ntfy, longLink(2048), 'at most 8 KB');
      },
    },
    {
      it: 'lists buttons with values',
      message: { object: { attachment: [{ type: 'Button', name: 'Yes' }] } },
      sees: [{ json: { message: 'Good morning!\n1. Yes' } }],
      outcome: SENT,
    },

    {
      it: 'blames the recipient when the topic is reserved',
      message: { recipient: RESERVED },
      credentials: { token: undefined },
      outcome: { outcome: 'permanent', blame: 'recipient', code: '40301', detail: 'forbidden' },
    },
    {
      it: 'blames the credentials when the token is wrong',
      credentials: { token: 'tk_fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '40101' },
    },
    {
      it: 'blames the credentials when the address is not an ntfy server',
      answers: [ntfyError(40_401, 'page not found')],
      outcome: { outcome: 'permanent', blame: 'credentials', code: '40401' },
    },
    refusal('recipient', 40_010, 'invalid request: topic name is not allowed'),
    refusal('recipient', 50_701, 'cannot publish to UnifiedPush topic'),
    refusal('content', 40_013, 'invalid request: attachment URL is invalid'),
    refusal('content', 41_303, 'JSON body too large'),
    ...WITHOUT_ADDRESS,
    ...WITHOUT_TOKEN.slice(1),

    limit(42_901, 5),
    limit(42_908, 3600),
    {
      it: 'rate limited: waits after a limit by a proxy',
      answers: [{ status: 429, body: 'slow down' }],
      outcome: { outcome: 'limited', scope: 'integration', seconds: 5, code: '429' },
    },
    {
      it: 'retries after a server error: the message may have been sent',
      answers: [ntfyError(50_001, 'internal server error')],
      outcome: transient(true, '50001'),
    },
    ...BEHIND_GATEWAY,
    ...WITHOUT_ID,
    ...WITHOUT_ANSWER,

    {
      it: 'edits a message',
      calls: 'edit',
      earlier: EARLIER,
      sees: [{ json: { topic: TOPIC, message: 'Good morning!', sequence_id: EARLIER.id } }],
      outcome: { outcome: 'sent', id: EARLIER.id },
    },
    {
      it: 'reports that an older server has sent a new message in place of the edit',
      calls: 'edit',
      earlier: EARLIER,
      answers: [{ status: 200, body: { id: FIRST, event: 'message' } }],
      outcome: { ...SENT, detail: '2.16' },
    },
    {
      it: 'cannot edit without write permission',
      calls: 'edit',
      earlier: EARLIER,
      answers: [ntfyError(40_301, 'forbidden')],
      outcome: { outcome: 'permanent', blame: 'recipient', code: '40301' },
    },
    {
      it: 'deletes a message whether or not it still exists',
      calls: 'remove',
      earlier: EARLIER,
      sees: [{ method: 'DELETE', path: `/${TOPIC}/${EARLIER.id}` }],
      outcome: { outcome: 'sent' },
    },
    {
      it: 'cannot delete on an older server',
      calls: 'remove',
      earlier: EARLIER,
      answers: [ntfyError(40_401, 'page not found')],
      outcome: { outcome: 'permanent', blame: 'unsupported', code: '40401' },
    },
    {
      it: 'retries a deletion',
      calls: 'remove',
      earlier: EARLIER,
      answers: [{ status: 503, body: '' }],
      outcome: transient(false, '503'),
    },

    {
      it: 'check: names the token’s owner and sends nothing',
      calls: 'check',
      sees: [{ method: 'GET', path: '/v1/account' }],
      outcome: { outcome: 'known', as: 'ada' },
    },
    {
      it: 'check: accepts a missing token',
      calls: 'check',
      credentials: { token: undefined },
      outcome: { outcome: 'known', as: 'anybody, without a token', account: null },
    },
    {
      it: 'check: rejects an unknown token',
      calls: 'check',
      credentials: { token: 'tk_fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '40101' },
    },
  ],
});
