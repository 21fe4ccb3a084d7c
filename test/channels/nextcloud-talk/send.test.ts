import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';

import { nextcloudTalk } from '../../../src/channels/nextcloud-talk/channel.ts';
import { MESSAGE, ROOM, SECRET, ocs, openNextcloudTalk } from '../../emulators/nextcloud-talk.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { WITHOUT_ANSWER, WITHOUT_ID } from '../faults.ts';
import { BEHIND_GATEWAY, ODD_TEXTS, WITHOUT_ADDRESS } from '../self-hosted.ts';
import { type Case, testChannel } from '../suite.ts';

type TalkCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent' } as const;
const PATH = `/ocs/v2.php/apps/spreed/api/v1/bot/${ROOM}/message`;
/** SHA-256 of the key. */
const REFERENCE = createHash('sha256').update('message-1-part-1').digest('hex');
const LONGEST = '👋'.repeat(32_000);
const MARKDOWN = { mediaType: 'text/markdown' } as const;

/** Each text and the message expected for it. */
const TEXTS: Readonly<Record<string, readonly [string, string?]>> = {
  ...Object.fromEntries(Object.entries(ODD_TEXTS).map(([name, text]) => [name, [text]])),
  'Markdown characters': [
    '*a* _b_ ~~c~~ `d` [e](f) |g|',
    '\\*a\\* \\_b\\_ \\~\\~c\\~\\~ \\`d\\` \\[e\\](f) \\|g\\|',
  ],
  'heading-, quote- and list-like lines': [
    '# a\n> b\n- c\n12. d\n===',
    '\\# a\n\\> b\n\\- c\n12\\. d\n\\===',
  ],
  'names without mentioning anybody': [
    '@all, (@"user name") a@b.example',
    '\\@all, (\\@"user name") a@b.example',
  ],
  'addresses unchanged': ['see https://example.com/a_b*c*?x=@me www.example.com/a_b_c'],
  'placeholders unchanged': ['{actor} {file}'],
  'the longest text': [LONGEST],
};

const texts = Object.entries(TEXTS).map(([name, [text, message = text]]): TalkCase => ({
  it: `sends ${name}`,
  message: { text },
  sees: [{ method: 'POST', path: PATH, json: { message } }],
  outcome: SENT,
}));

const refusal = (status: number, blame: 'recipient' | 'content'): TalkCase => ({
  it: `blames the ${blame} for ${status}`,
  answers: [ocs(status)],
  outcome: { outcome: 'permanent', blame, code: String(status) },
});

testChannel(nextcloudTalk, {
  open: openNextcloudTalk,
  credentials: ({ url }) => ({ address: `${url}/`, secret: SECRET }),
  recipient: ROOM,
  cases: [
    ...texts,
    {
      it: 'signs each message with another random value',
      message: { text: `${LONGEST}y` },
      sees: [{ json: { message: LONGEST } }, { json: { message: 'y' } }],
      outcome: SENT,
      also(seen) {
        const random = seen.map(({ headers }) => headers['x-nextcloud-talk-bot-random']);
        assert.equal(new Set(random).size, 2);
      },
    },
    {
      it: 'sends only documented fields, with a reference derived from the key',
      sees: [
        {
          headers: { 'content-type': 'application/json', 'ocs-apirequest': 'true' },
          text: JSON.stringify({
            message: 'Good morning!',
            referenceId: REFERENCE,
          }),
        },
      ],
      outcome: SENT,
    },
    {
      it: 'sends formatted text as Markdown',
      message: {
        text: '**bo_ld** *it* ~~no~~ `x*y` [a_b](https://example.com/(a)_b)\n\n```js\ncode *\n```',
        object: MARKDOWN,
      },
      sees: [
        {
          json: {
            message:
              '**bo\\_ld** *it* ~~no~~ `x*y` [a\\_b](https://example.com/%28a%29_b)\n\n```js\ncode *\n```',
          },
        },
      ],
      outcome: SENT,
    },
    {
      it: 'sends headings, lists, quotations and tables',
      message: {
        text: '# A\n\n- b\n  - c\n\n> d\n\n| e | f |\n|---|---|\n| 1 | 2 |',
        object: MARKDOWN,
      },
      sees: [
        {
          json: {
            message: '# A\n\n- b\n  - c\n\n> d\n\n| **e** | **f** |\n| --- | --- |\n| 1 | 2 |',
          },
        },
      ],
      outcome: SENT,
    },
    {
      it: 'sends an image as a link, because bots cannot upload files',
      message: { object: { type: 'Image', url: 'https://example.com/a_b.png', content: 'Look' } },
      sees: [{ json: { message: 'Look\nhttps://example.com/a_b.png' } }],
      outcome: SENT,
    },
    {
      it: 'lists buttons below the text, because Talk has none',
      message: { text: 'Tea?', object: { attachment: [{ type: 'Button', name: 'Yes' }] } },
      sees: [{ json: { message: 'Tea?\n1\\. Yes' } }],
      outcome: SENT,
    },
    ...([true, false] as const).map((silent): TalkCase => ({
      it: `sends with silent: ${silent}`,
      message: { options: { silent } },
      sees: [{ json: { message: 'Good morning!', silent } }],
      outcome: SENT,
    })),
    {
      it: 'replies to a message',
      message: { object: { inReplyTo: MESSAGE } },
      sees: [{ json: { replyTo: Number(MESSAGE) } }],
      outcome: SENT,
    },
    {
      it: 'sends to a thread',
      message: { context: MESSAGE },
      sees: [{ json: { threadId: Number(MESSAGE) } }],
      outcome: SENT,
    },
    {
      it: 'sends without the reply when the ID cannot be one of Talk',
      message: { object: { inReplyTo: 'm-1' } },
      sees: [{ text: JSON.stringify({ message: 'Good morning!', referenceId: REFERENCE }) }],
      outcome: SENT,
    },
    {
      it: 'blames the content when the replied-to message is not in the conversation',
      message: { object: { inReplyTo: '99' } },
      outcome: { outcome: 'permanent', blame: 'content', code: '400' },
    },
    {
      it: 'blames the recipient when the bot is not enabled in the conversation',
      message: { recipient: 'elsewhere' },
      outcome: { outcome: 'permanent', blame: 'recipient', code: '401', detail: 'not enabled' },
    },
    {
      it: 'names the secret as the other cause, which Talk does not distinguish',
      credentials: { secret: 'other'.repeat(10) },
      outcome: { outcome: 'permanent', blame: 'recipient', code: '401', detail: 'secret is wrong' },
    },
    refusal(404, 'recipient'),
    refusal(413, 'content'),
    {
      it: 'sends no request without a secret',
      credentials: { secret: undefined },
      sees: [],
      outcome: { outcome: 'permanent', blame: 'credentials' },
    },
    ...WITHOUT_ADDRESS,
    {
      it: 'waits for the time in Retry-After',
      answers: [ocs(429, { 'retry-after': '7' })],
      outcome: { outcome: 'limited', scope: 'integration', seconds: 7, code: '429' },
    },
    ...BEHIND_GATEWAY,
    ...WITHOUT_ANSWER,
    ...WITHOUT_ID,
  ],
});
