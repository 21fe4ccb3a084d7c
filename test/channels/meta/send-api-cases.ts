import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { Channel } from '../../../src/channels/channel.ts';
import { PEOPLE } from '../../emulators/meta/send-api.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import type { Case, TestMessage } from '../suite.ts';
import { assertListed } from '../unsupported.ts';
import { GRAPH_CASES, refusals } from './cases.ts';

/* Cases shared by Messenger and Instagram. */

export type SendApiCase = Case<Request, Reply | ConnectionFault>;

export const SENT = { outcome: 'sent', id: 'm_1' } as const;

const TEXTS: Readonly<Record<string, string>> = {
  'ordinary text': 'Good morning!',
  emoji: '👩‍👩‍👧‍👦 🏳️‍🌈 :wave:',
  'right-to-left text': 'שלום עולם مرحبا \u202eabc\u202c',
  'line breaks, tabs and quotes': 'one\ntwo\r\n\t"three" \\ four\u2028five',
  'markup of other products': '*a* _b_ ~c~ `d` <b>e</b> &amp; [f](https://example.com)',
};

const texts = Object.entries(TEXTS).map(([name, text]): SendApiCase => ({
  it: `sends ${name}`,
  message: { text },
  sees: [
    {
      method: 'POST',
      path: '/me/messages',
      json: { recipient: { id: PEOPLE.known }, message: { text } },
    },
  ],
  outcome: SENT,
}));

/** The longest text, and one character more. */
export function lengths(longest: string): SendApiCase[] {
  return [
    {
      it: 'sends the longest text',
      message: { text: longest },
      sees: [{ json: { message: { text: longest } } }],
      outcome: SENT,
    },
    {
      it: 'sends a text one character over the limit as two messages',
      message: { text: `${longest}x` },
      sees: [{}, {}],
      outcome: { outcome: 'sent', id: 'm_2' },
    },
    {
      it: 'sends a text over the limit with its buttons below the second message',
      message: { text: longest, object: MANY.object },
      sees: [{ json: { message: { text: longest } } }, { json: { message: { text: FOUR_LINES } } }],
      outcome: { outcome: 'sent', id: 'm_2' },
    },
  ];
}

const MEDIA = [
  ['Image', 'image/png', 'a.png', 'image'],
  ['Video', 'video/mp4; codecs="avc1"', 'a.mp4', 'video'],
  ['Audio', 'audio/aac', 'a.aac', 'audio'],
  ['Document', 'application/pdf', 'a.pdf', 'file'],
] as const;

const media = MEDIA.flatMap(([type, mediaType, name, kind]): SendApiCase[] => {
  const url = `https://example.com/${name}`;
  const seen = { json: { message: { attachment: { type: kind, payload: { url } } } } };
  return [
    {
      it: `sends ${kind} by its address, followed by its caption`,
      message: { object: { type, url, mediaType, name, content: 'Look' } },
      sees: [seen, { json: { message: { text: 'Look' } } }],
      outcome: { outcome: 'sent', id: 'm_2' },
    },
    {
      it: `sends ${kind} without a media type`,
      message: { object: { type, url } },
      sees: [seen],
      outcome: SENT,
    },
  ];
});

export const asLink = (type: string, name: string, mediaType?: string): SendApiCase => ({
  it: `sends a link to ${name}, which Meta would refuse`,
  message: {
    object: {
      type,
      url: `https://example.com/${name}`,
      ...(mediaType !== undefined && { mediaType }),
    },
  },
  sees: [{ json: { message: { text: `https://example.com/${name}` } } }],
  outcome: SENT,
});

const toReply = (name: string) => ({ content_type: 'text', title: name, payload: name });
const YES = { type: 'Button', name: 'Yes' };
const buy = (what: string) => ({ type: 'Button', name: 'Buy', value: `buy:${what}` });
const postback = (what: string) => ({ type: 'postback', title: 'Buy', payload: `buy:${what}` });
const collection = (...items: object[]) =>
  ({ object: { type: 'Collection', items } }) as Partial<TestMessage>;
const MORE = { type: 'Button', name: 'More', url: 'https://example.com/' };
const FOUR_LINES = [1, 2, 3, 4].map((i) => `${i}. More: https://example.com/`).join('\n');
const THIRTEEN = Array.from({ length: 13 }, (_, i) => `Choice ${i + 1}`);

const LONG = { text: 'x'.repeat(641), object: { attachment: [YES, MORE] } };
const MANY = { text: 'Go', object: { attachment: [MORE, MORE, MORE, MORE] } };

/** That the plan says why buttons degrade. */
export function testReasons(channel: Channel): void {
  it(`the plan says why ${channel.title} buttons degrade`, () => {
    assertListed(channel, LONG, `^${channel.title} accepts at most 640 characters`);
    assertListed(channel, MANY, `^${channel.title} accepts at most 3 buttons`);
  });
}

const buttons: SendApiCase[] = [
  {
    it: 'sends the maximum number of quick replies below the longest text',
    message: {
      text: 'x'.repeat(1000),
      object: { attachment: THIRTEEN.map((name) => ({ type: 'Button', name })) },
    },
    sees: [{ json: { message: { text: 'x'.repeat(1000), quick_replies: THIRTEEN.map(toReply) } } }],
    outcome: SENT,
  },
  {
    it: 'sends buttons of both kinds',
    message: { text: 'Well?', object: { attachment: [YES, MORE] } },
    sees: [
      {
        json: {
          message: {
            attachment: {
              type: 'template',
              payload: {
                template_type: 'button',
                text: 'Well?',
                buttons: [
                  { type: 'postback', title: 'Yes', payload: 'Yes' },
                  { type: 'web_url', title: 'More', url: 'https://example.com/' },
                ],
              },
            },
          },
        },
      },
    ],
    outcome: SENT,
  },
  {
    it: 'sends buttons below the longest allowed text',
    message: { text: 'x'.repeat(640), object: { attachment: [MORE, MORE, MORE] } },
    sees: [{ json: { message: { attachment: { payload: { text: 'x'.repeat(640) } } } } }],
    outcome: SENT,
  },
  {
    it: 'lists all buttons in a text that is too long for them',
    message: LONG,
    sees: [
      { json: { message: { text: `${'x'.repeat(641)}\n1. Yes\n2. More: https://example.com/` } } },
    ],
    outcome: SENT,
    also: ([seen]) => assert.doesNotMatch(seen?.text ?? '', /quick_replies/),
  },
  {
    it: 'lists all buttons in the text when there are too many link buttons',
    message: MANY,
    sees: [{ json: { message: { text: `Go\n${FOUR_LINES}` } } }],
    outcome: SENT,
  },
];

const templated = (payload: object) => ({
  json: { message: { attachment: { type: 'template', payload } } },
});

/** Collection items with their own buttons. */
const carousels: SendApiCase[] = [
  {
    it: 'sends items with images, texts and buttons as a carousel',
    message: collection(
      {
        type: 'Image',
        url: 'https://example.com/tea.png',
        content: 'Tea\nGreen',
        attachment: [buy('tea')],
      },
      { type: 'Note', content: 'Coffee', attachment: [buy('coffee')] },
    ),
    sees: [
      templated({
        template_type: 'generic',
        elements: [
          {
            title: 'Tea',
            subtitle: 'Green',
            image_url: 'https://example.com/tea.png',
            buttons: [postback('tea')],
          },
          { title: 'Coffee', buttons: [postback('coffee')] },
        ],
      }),
    ],
    outcome: SENT,
  },
  {
    it: 'sends items as separate messages with their buttons when one is too long for a card',
    message: collection(
      { type: 'Note', content: 'x'.repeat(81), attachment: [buy('x')] },
      { type: 'Note', content: 'Tea', attachment: [buy('tea')] },
    ),
    sees: [
      templated({ template_type: 'button', text: 'x'.repeat(81), buttons: [postback('x')] }),
      { json: { message: { text: 'Tea', quick_replies: [{ title: 'Buy', payload: 'buy:tea' }] } } },
    ],
    outcome: { outcome: 'sent', id: 'm_2' },
  },
];

export const SEND_API_CASES: readonly SendApiCase[] = [
  ...texts,
  ...media,
  ...buttons,
  ...carousels,
  {
    it: 'replies to a message',
    message: { object: { inReplyTo: 'm_earlier' } },
    sees: [{ json: { reply_to: { mid: 'm_earlier' }, message: { text: 'Good morning!' } } }],
    outcome: SENT,
  },
  {
    it: 'sends formatted text as plain text',
    message: {
      text: '**bold** [here](https://example.com/)',
      object: { mediaType: 'text/markdown' },
    },
    sees: [{ json: { message: { text: 'bold here (https://example.com/)' } } }],
    outcome: SENT,
  },
  {
    it: 'blames a recipient who cannot receive messages',
    message: { recipient: PEOPLE.gone },
    outcome: { outcome: 'permanent', blame: 'recipient', code: '551/1545041' },
  },
  {
    it: 'reports a closed window',
    message: { recipient: PEOPLE.silent },
    outcome: { outcome: 'permanent', blame: 'window_closed', code: '10/2018278' },
  },
  {
    it: 'blames an unknown recipient',
    message: { recipient: '1' },
    outcome: { outcome: 'permanent', blame: 'recipient', code: '100/2018001' },
  },
  ...refusals('recipient', [
    [100, { subcode: 2_534_014 }],
    [200, { subcode: 1_545_041 }],
  ]),
  ...refusals('credentials', [[200, { subcode: 2_018_028, status: 403 }]]),
  ...refusals('content', [[100, { subcode: 2_018_047 }]]),
  ...GRAPH_CASES,
];
