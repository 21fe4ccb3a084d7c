import { webex } from '../../../src/channels/webex/channel.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import {
  BEFORE,
  DIRECT_ROOM,
  EMAIL,
  FIRST,
  PERSON,
  ROOM,
  TOKEN,
  WITH_CARD,
  openWebex,
  webexError,
  webexId,
} from '../../emulators/webex.ts';
import { WITHOUT_ANSWER, WITHOUT_ID, transient } from '../faults.ts';
import { BEHIND_GATEWAY, ODD_TEXTS, WITHOUT_TOKEN } from '../self-hosted.ts';
import { type Case, testChannel } from '../suite.ts';
import { assertListed } from '../unsupported.ts';

type WebexCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: FIRST, kept: ROOM } as const;
const EARLIER = { id: BEFORE, kept: ROOM, recipient: ROOM };
const LONGEST = 'x'.repeat(7439);
const UNSUPPORTED = { outcome: 'permanent', blame: 'unsupported' } as const;

const html = (content: string) => ({ object: { content, mediaType: 'text/html' } });
const buttons = (...attachment: object[]) => ({
  text: '*Tea*?',
  object: { attachment: attachment.map((each) => Object.assign({ type: 'Button' }, each)) },
});

const refusal = (blame: 'credentials' | 'recipient' | 'content', status: number): WebexCase => ({
  it: `blames the ${blame} for ${status}`,
  answers: [webexError(status, 'because')],
  outcome: { outcome: 'permanent', blame, code: String(status), detail: 'because' },
});

testChannel(webex, {
  open: () => openWebex(),
  credentials: { token: TOKEN },
  recipient: ROOM,
  cases: [
    ...Object.entries({
      ...ODD_TEXTS,
      markup: '*a* _b_ <@all> # c',
      'the longest text': LONGEST,
    }).map(([what, text]): WebexCase => ({
      it: `sends ${what} as plain text`,
      message: { text },
      sees: [{ method: 'POST', path: '/messages', text: JSON.stringify({ roomId: ROOM, text }) }],
      outcome: SENT,
    })),
    {
      it: 'sends a text one byte over the limit as two messages',
      message: { text: `${LONGEST}y` },
      sees: [{ json: { text: LONGEST } }, { json: { text: 'y' } }],
      outcome: { ...SENT, id: webexId('MESSAGE', 'sent-2') },
    },
    {
      it: 'sends formatted text as Markdown and escapes the rest',
      message: html(
        '<b>*a*</b> &lt;@all&gt;<br><i>b</i> <s>c</s> <a href="https://x.test/(1)">d</a>',
      ),
      sees: [
        {
          json: {
            markdown: '**\\*a\\*** &lt;@all>  \n*b* c [d](https://x.test/%281%29)',
          },
        },
      ],
      outcome: SENT,
    },
    {
      it: 'sends lists, headings and code as Markdown',
      message: html('<h2>A</h2><ul><li>b</li><li>c</li></ul><pre><code>d\ne</code></pre>'),
      sees: [{ json: { markdown: '## A\n\n- b  \n- c\n\n```\nd\ne\n```' } }],
      outcome: SENT,
    },
    {
      it: 'sends to a person by ID',
      message: { recipient: PERSON },
      sees: [{ text: JSON.stringify({ toPersonId: PERSON, text: 'Good morning!' }) }],
      outcome: { ...SENT, kept: DIRECT_ROOM },
    },
    {
      it: 'sends to a person by email address',
      message: { recipient: EMAIL },
      sees: [{ text: JSON.stringify({ toPersonEmail: EMAIL, text: 'Good morning!' }) }],
      outcome: { ...SENT, kept: DIRECT_ROOM },
    },

    ...(['Image', 'Video', 'Audio', 'Document'] as const).map((type): WebexCase => ({
      it: `sends a file of type ${type} by its URL`,
      message: { object: { type, url: 'https://example.com/a', content: 'Look' } },
      sees: [{ json: { roomId: ROOM, text: 'Look', files: ['https://example.com/a'] } }],
      outcome: SENT,
    })),
    {
      it: 'sends a file without a caption',
      message: { object: { type: 'Image', url: 'https://example.com/a' } },
      sees: [{ text: JSON.stringify({ roomId: ROOM, files: ['https://example.com/a'] }) }],
      outcome: SENT,
    },

    {
      it: 'sends buttons as a card that repeats the text without markup',
      message: buttons({ name: 'Yes', value: 'tea=1' }, { name: 'Menu', url: 'https://x.test/' }),
      sees: [
        {
          json: {
            roomId: ROOM,
            text: '*Tea*?',
            attachments: [
              {
                contentType: 'application/vnd.microsoft.card.adaptive',
                content: {
                  type: 'AdaptiveCard',
                  version: '1.3',
                  body: [{ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: '*Tea*?' }] }],
                  actions: [
                    {
                      type: 'Action.Submit',
                      title: 'Yes',
                      data: { name: 'Yes', value: 'tea=1' },
                    },
                    { type: 'Action.OpenUrl', title: 'Menu', url: 'https://x.test/' },
                  ],
                },
              },
            ],
          },
        },
      ],
      outcome: SENT,
    },
    {
      it: 'keeps the formatting of a text with buttons',
      message: {
        object: {
          ...html('<b>a</b><i>b</i><s>c</s><code>d</code><a href="https://x.test/">e</a>').object,
          attachment: [{ type: 'Button', name: 'Yes' }],
        },
      },
      sees: [
        {
          json: {
            attachments: [
              {
                content: {
                  body: [
                    {
                      inlines: [
                        { text: 'a', weight: 'Bolder' },
                        { text: 'b', italic: true },
                        { text: 'c', strikethrough: true },
                        { text: 'd', fontType: 'Monospace' },
                        {
                          text: 'e',
                          selectAction: { type: 'Action.OpenUrl', url: 'https://x.test/' },
                        },
                      ],
                    },
                  ],
                },
              },
            ],
          },
        },
      ],
      outcome: SENT,
    },
    {
      it: 'lists more than five buttons below the text',
      message: buttons(...['1', '2', '3', '4', '5', '6'].map((name) => ({ name }))),
      sees: [{ json: { text: '*Tea*?\n1. 1\n2. 2\n3. 3\n4. 4\n5. 5\n6. 6' } }],
      outcome: SENT,
      also: () =>
        assertListed(
          webex,
          buttons(...['1', '2', '3', '4', '5', '6'].map((name) => ({ name }))),
          '5',
        ),
    },

    ...[{ object: { inReplyTo: BEFORE } }, { context: BEFORE }].map((message): WebexCase => ({
      it: `replies in a thread by ${Object.keys(message).join()}`,
      message,
      sees: [{ json: { parentId: BEFORE } }],
      outcome: SENT,
    })),
    {
      it: 'blames the content when the parent is missing',
      message: { context: webexId('MESSAGE', 'other') },
      outcome: { outcome: 'permanent', blame: 'content', code: '400' },
    },

    {
      it: 'blames the recipient for an unknown room',
      message: { recipient: webexId('ROOM', 'other') },
      outcome: { outcome: 'permanent', blame: 'recipient', code: '404' },
    },
    {
      it: 'blames the credentials for a wrong token',
      credentials: { token: 'fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '401' },
    },
    refusal('recipient', 403),
    refusal('content', 400),
    ...WITHOUT_TOKEN,
    {
      it: 'waits for the time in Retry-After',
      answers: [webexError(429, 'slow down', { 'retry-after': '7' })],
      outcome: { outcome: 'limited', scope: 'integration', seconds: 7, code: '429' },
    },
    {
      it: 'retries a message to a locked room',
      answers: [webexError(423, 'locked', { 'retry-after': '7' })],
      outcome: { outcome: 'limited', scope: 'message', seconds: 7, code: '423' },
    },
    {
      it: 'retries after 503, which precedes any processing',
      answers: [webexError(503, 'down')],
      outcome: transient(false, '503'),
    },
    ...BEHIND_GATEWAY.slice(0, -1),
    ...WITHOUT_ANSWER,
    ...WITHOUT_ID,

    {
      it: 'edits a message in its room',
      calls: 'edit',
      earlier: EARLIER,
      message: html('<b>after</b>'),
      sees: [
        {
          method: 'PUT',
          path: `/messages/${BEFORE}`,
          text: JSON.stringify({ roomId: ROOM, markdown: '**after**' }),
        },
      ],
      outcome: { outcome: 'sent', id: BEFORE, kept: ROOM },
    },
    {
      it: 'edits a message to a person in the room that was kept',
      calls: 'edit',
      earlier: { ...EARLIER, recipient: EMAIL },
      message: { recipient: EMAIL, text: 'after' },
      sees: [{ text: JSON.stringify({ roomId: ROOM, text: 'after' }) }],
      outcome: { outcome: 'sent', id: BEFORE, kept: ROOM },
    },
    {
      it: 'cannot edit a message to a person whose room is unknown',
      calls: 'edit',
      earlier: { id: BEFORE, recipient: EMAIL },
      message: { recipient: EMAIL },
      sees: [],
      outcome: UNSUPPORTED,
    },
    {
      it: 'cannot replace a message with a file',
      calls: 'edit',
      earlier: EARLIER,
      message: { object: { type: 'Image', url: 'https://example.com/a' } },
      sees: [],
      outcome: UNSUPPORTED,
    },
    {
      it: 'cannot edit a message with a card',
      calls: 'edit',
      earlier: { ...EARLIER, id: WITH_CARD },
      outcome: { ...UNSUPPORTED, code: '400' },
    },
    {
      it: 'deletes a message',
      calls: 'remove',
      earlier: EARLIER,
      sees: [{ method: 'DELETE', path: `/messages/${BEFORE}`, text: '' }],
      outcome: { outcome: 'sent' },
    },
    {
      it: 'treats deleting a missing message as done',
      calls: 'remove',
      earlier: { ...EARLIER, id: FIRST },
      outcome: { outcome: 'sent' },
    },
    {
      it: 'cannot delete a message without permission',
      calls: 'remove',
      earlier: EARLIER,
      answers: [webexError(403, 'forbidden')],
      outcome: { ...UNSUPPORTED, code: '403' },
    },

    {
      it: 'check: names the bot and sends nothing',
      calls: 'check',
      sees: [{ method: 'GET', path: '/people/me' }],
      outcome: { outcome: 'known', as: 'Example Bot' },
    },
    {
      it: 'check: rejects an unknown token',
      calls: 'check',
      credentials: { token: 'fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '401' },
    },
  ],
});
