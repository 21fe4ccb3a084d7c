import assert from 'node:assert/strict';

import { ntfy } from '../../../src/channels/ntfy.ts';
import { FIRST, RESERVED, TOKEN, TOPIC, ntfyError, openNtfy } from '../../emulators/ntfy.ts';
import type { Accident, Reply, Request } from '../../emulators/server/http.ts';
import { WITHOUT_ANSWER, WITHOUT_SENSE, transient } from '../faults.ts';
import { BEHIND_GATEWAY, ODD_TEXTS, WITHOUT_ADDRESS, WITHOUT_TOKEN } from '../own-server.ts';
import { type Case, testChannel } from '../suite.ts';
import { assertListed, leadingTo } from '../unsupported.ts';

type NtfyCase = Case<Request, Reply | Accident>;

const SENT = { outcome: 'sent', id: FIRST } as const;
const EARLIER = { id: 'fakeIdBefore', recipient: TOPIC };

/** What must arrive as it was written. */
const TEXTS = {
  ...ODD_TEXTS,
  'what would be Markdown': '# *bold* _italic_ [a](https://example.com) `code` \\_ <b>',
  'the longest text': 'x'.repeat(4095),
  'the longest text of what would be Markdown': '*'.repeat(4095),
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

const far = (length: number) => ({
  text: 'x'.repeat(4000),
  object: { attachment: Array.from({ length: 3 }, () => leadingTo(length)) },
});

const media = (['Image', 'Video', 'Audio', 'Document'] as const).map((type): NtfyCase => ({
  it: `sends an attachment: ${type}`,
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
  it: `waits ${seconds} seconds after ${code}`,
  answers: [ntfyError(code, 'limit reached')],
  outcome: { outcome: 'limited', whom: 'integration', seconds, code: String(code) },
});

testChannel(ntfy, {
  open: openNtfy,
  credentials: ({ url }) => ({ address: url, token: TOKEN }),
  recipient: TOPIC,
  cases: [
    ...texts,
    {
      it: 'says who it is in a header',
      message: { recipient: RESERVED },
      sees: [{ headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' } }],
      outcome: SENT,
    },
    {
      it: 'does without a token',
      credentials: { token: undefined },
      outcome: SENT,
    },
    {
      it: 'sends a text that is one longer in two',
      message: { text: '*'.repeat(4096) },
      sees: [{}, { json: { message: '*' } }],
      outcome: { outcome: 'sent', id: 'fakeId000002' },
    },
    {
      it: 'sends a text in parts that are no longer than a request may be once they are escaped',
      message: { text: '"'.repeat(4096), object: { name: 'x'.repeat(498) } },
      sees: [{ json: { title: 'x'.repeat(498) } }, {}],
      outcome: { outcome: 'sent', id: 'fakeId000002' },
    },
    {
      it: 'sends what is at a very long address as a link, when there is much to say of it',
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
      it: 'sends formatted text as Markdown, with other signs escaped',
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
      it: 'sends a title, too',
      message: { object: { name: 'Größe 😀' } },
      sees: [{ json: { title: 'Größe 😀', message: 'Good morning!' } }],
      outcome: SENT,
    },
    {
      it: 'sends a title that is too long above the text, and cuts nothing',
      message: { object: { name: 'x'.repeat(499) } },
      sees: [{ json: { message: `${'x'.repeat(499)}\nGood morning!` } }],
      outcome: SENT,
      also: ([seen]) => assert.doesNotMatch(seen?.text ?? '', /"title"/),
    },
    ...media,
    {
      it: 'sends a picture alone, which is called as its file is',
      message: { object: { type: 'Image', url: 'https://example.com/a.png' } },
      sees: [{ json: { topic: TOPIC, message: 'a.png', attach: 'https://example.com/a.png' } }],
      outcome: SENT,
    },
    {
      it: 'sends buttons that lead somewhere',
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
      it: 'sends as many buttons as there may be',
      message: far(1250),
      sees: [{ json: { actions: [{}, {}, {}] } }],
      outcome: SENT,
    },
    {
      it: 'lists all buttons when they are too much for one message',
      message: far(2048),
      sees: [{}, {}, {}, {}],
      outcome: { outcome: 'sent', id: 'fakeId000004' },
      also(seen) {
        assert.ok(seen.every(({ text }) => !text.includes('"actions"')));
        assertListed(ntfy, far(2048), 'at most 8 KB');
      },
    },
    {
      it: 'lists buttons that say something',
      message: { object: { attachment: [{ type: 'Button', name: 'Yes' }] } },
      sees: [{ json: { message: 'Good morning!\n1. Yes' } }],
      outcome: SENT,
    },

    {
      it: 'blames the recipient when the topic is not for everybody',
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
      it: 'blames the credentials when ntfy is not at the address',
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
      it: 'waits when somebody else limits it',
      answers: [{ status: 429, body: 'slow down' }],
      outcome: { outcome: 'limited', whom: 'integration', seconds: 5, code: '429' },
    },
    {
      it: 'tries again after an error of the server, which may have sent it',
      answers: [ntfyError(50_001, 'internal server error')],
      outcome: transient(true, '50001'),
    },
    ...BEHIND_GATEWAY,
    ...WITHOUT_SENSE,
    ...WITHOUT_ANSWER,

    {
      it: 'edits a message',
      calls: 'edit',
      earlier: EARLIER,
      sees: [{ json: { topic: TOPIC, message: 'Good morning!', sequence_id: EARLIER.id } }],
      outcome: { outcome: 'sent', id: EARLIER.id },
    },
    {
      it: 'says when an older server has sent it anew',
      calls: 'edit',
      earlier: EARLIER,
      answers: [{ status: 200, body: { id: FIRST, event: 'message' } }],
      outcome: { ...SENT, detail: '2.16' },
    },
    {
      it: 'cannot edit where it may not write',
      calls: 'edit',
      earlier: EARLIER,
      answers: [ntfyError(40_301, 'forbidden')],
      outcome: { outcome: 'permanent', blame: 'recipient', code: '40301' },
    },
    {
      it: 'deletes a message, whether it is there or not',
      calls: 'remove',
      earlier: EARLIER,
      sees: [{ method: 'DELETE', path: `/${TOPIC}/${EARLIER.id}` }],
      outcome: { outcome: 'sent' },
    },
    {
      it: 'cannot delete at an older server',
      calls: 'remove',
      earlier: EARLIER,
      answers: [ntfyError(40_401, 'page not found')],
      outcome: { outcome: 'permanent', blame: 'unsupported', code: '40401' },
    },
    {
      it: 'tries again to delete',
      calls: 'remove',
      earlier: EARLIER,
      answers: [{ status: 503, body: '' }],
      outcome: transient(false, '503'),
    },

    {
      it: 'tells whose token it is, and sends nothing',
      calls: 'check',
      sees: [{ method: 'GET', path: '/v1/account' }],
      outcome: { outcome: 'known', as: 'ada' },
    },
    {
      it: 'tells that there is no token',
      calls: 'check',
      credentials: { token: undefined },
      outcome: { outcome: 'known', as: 'anybody, without a token' },
    },
    {
      it: "tells that a token is nobody's",
      calls: 'check',
      credentials: { token: 'tk_fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '40101' },
    },
  ],
});
