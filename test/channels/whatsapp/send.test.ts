import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { whatsapp } from '../../../src/channels/whatsapp/channel.ts';
import { TOKEN, graphError } from '../../emulators/meta/graph.ts';
import { GROUP, NUMBER_ID, PEOPLE, openWhatsApp } from '../../emulators/meta/whatsapp.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { transient } from '../faults.ts';
import { GRAPH_CASES, refusals } from '../meta/cases.ts';
import { type Case, testChannel } from '../suite.ts';
import { assertListed } from '../unsupported.ts';
import { OPTION_CASES } from './options.ts';

type WhatsAppCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: 'wamid.1' } as const;
const HEAD = { messaging_product: 'whatsapp', recipient_type: 'individual', to: PEOPLE.known };

/** Each text and the request body expected for it. */
const TEXTS: Readonly<Record<string, readonly [string, string?]>> = {
  'ordinary text': ['Good morning!'],
  emoji: ['👩‍👩‍👧‍👦 🏳️‍🌈 :wave:'],
  'right-to-left text': ['שלום עולם مرحبا \u202eabc\u202c'],
  'line breaks, tabs and quotes': ['one\ntwo\n\t"three" \\ four'],
  'an address unchanged': ['https://example.com/a_b_c?d=*e*'],
  'markup characters within words unchanged': ['snake_case_name 5*3*2'],
  'a dial code unchanged': ['Dial *100# or *123#'],
  'a password unchanged': ['Password: _Qz*7~k* (valid *today*)'],
  'markup-like text unchanged': ['*a* _b_ ~c~ `d` ```e```\n> f\n- g\n1. h'],
  'the longest text': ['x'.repeat(4096)],
};

const texts = Object.entries(TEXTS).map(([name, [written, request = written]]): WhatsAppCase => ({
  it: `sends ${name}`,
  message: { text: written },
  sees: [
    {
      method: 'POST',
      path: `/${NUMBER_ID}/messages`,
      json: { ...HEAD, type: 'text', text: { body: request } },
    },
  ],
  outcome: SENT,
}));

const bodiesOf = (seen: readonly Request[]) =>
  seen.map(({ json }) => (json as { text: { body: string } }).text.body);

/** Attachments and the expected request fields. */
const MEDIA = [
  ['Image', 'image/png', 'a.png', 'image', {}],
  ['Video', 'video/mp4; codecs="avc1"', 'a.mp4', 'video', {}],
  ['Document', 'application/pdf', 'a.pdf', 'document', { filename: 'a.pdf' }],
] as const;

const media = MEDIA.map(([type, mediaType, name, kind, more]): WhatsAppCase => {
  const url = `https://example.com/${name}`;
  return {
    it: `sends a ${kind} with a caption`,
    message: { object: { type, url, mediaType, name, content: 'Look: *here*' } },
    sees: [{ json: { ...HEAD, type: kind, [kind]: { link: url, ...more } } }],
    outcome: SENT,
    also([seen]) {
      assert.match(JSON.stringify(seen?.json), /"caption":"Look: \*here\*"/);
    },
  };
});

const buttons = (...attachment: readonly { name: string; url?: string }[]) => ({
  attachment: attachment.map((each) => Object.assign({ type: 'Button' }, each)),
});

/** Why buttons degrade, the message, its buttons and the expected list. */
const UNFIT = [
  [
    'at most 1024 characters above',
    'x'.repeat(1025),
    buttons({ name: 'Yes' }, { name: 'No' }),
    '1. Yes\n2. No',
  ],
  [
    'a link button',
    'Read',
    buttons(
      { name: 'More', url: 'https://example.com/' },
      { name: 'Less', url: 'https://example.org/' },
    ),
    '1. More: https://example.com/\n2. Less: https://example.org/',
  ],
  [
    'on its own',
    'Well?',
    buttons({ name: 'Yes' }, { name: 'More', url: 'https://example.com/' }),
    '1. Yes\n2. More: https://example.com/',
  ],
  ['names to be unique', 'Well?', buttons({ name: 'Yes' }, { name: 'Yes ' }), '1. Yes\n2. Yes '],
] as const;

testChannel(whatsapp, {
  open: openWhatsApp,
  credentials: {
    token: TOKEN,
    username: NUMBER_ID,
    secret: 'canary-of-the-hook',
    consumer_secret: 'canary-of-the-app',
  },
  recipient: PEOPLE.known,
  cases: [
    ...OPTION_CASES,
    ...texts,
    {
      it: 'sends a text over the limit as two messages',
      message: { text: `${'x'.repeat(4000)} ${'y'.repeat(96)}` },
      sees: [
        { json: { text: { body: 'x'.repeat(4000) } } },
        { json: { text: { body: 'y'.repeat(96) } } },
      ],
      outcome: { outcome: 'sent', id: 'wamid.2' },
    },
    {
      it: "sends formatted text in its markup, except around the markup's own characters",
      message: {
        text: '**bold** *italic* ~~gone~~ `code` [here](https://example.com/) \\*not\\* **a\\*b** ``c`d``',
        object: { mediaType: 'text/markdown' },
      },
      outcome: SENT,
      also(seen) {
        const [body = ''] = bodiesOf(seen);
        const written = '*bold* _italic_ ~gone~ `code` here (https://example.com/) *not* a*b c`d';
        assert.equal(body, written);
      },
    },
    {
      it: 'authenticates in a header and sends only the needed fields',
      sees: [
        {
          headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
          text: JSON.stringify({ ...HEAD, type: 'text', text: { body: 'Good morning!' } }),
        },
      ],
      outcome: SENT,
    },
    {
      it: 'sends to a number with a leading plus',
      message: { recipient: `+${PEOPLE.known}` },
      sees: [{ json: { to: `+${PEOPLE.known}` } }],
      outcome: SENT,
    },
    {
      it: 'sends to a user with a hidden number',
      message: { recipient: PEOPLE.hidden },
      sees: [{ json: { recipient: PEOPLE.hidden } }],
      outcome: SENT,
      also: ([seen]) => assert.ok(!Object.hasOwn(Object(seen?.json), 'to')),
    },
    {
      it: "sends to a user by the parent business's id",
      message: { recipient: PEOPLE.hiddenFromParent },
      sees: [{ json: { recipient_type: 'individual', recipient: PEOPLE.hiddenFromParent } }],
      outcome: SENT,
    },
    {
      it: 'sends to a group',
      message: { recipient: GROUP },
      sees: [{ json: { recipient_type: 'group', to: GROUP, type: 'text' } }],
      outcome: SENT,
    },
    {
      it: 'sends an image to a group',
      message: { recipient: GROUP, object: { type: 'Image', url: 'https://example.com/a.png' } },
      sees: [{ json: { recipient_type: 'group', to: GROUP, type: 'image' } }],
      outcome: SENT,
    },
    {
      it: 'lists buttons in a group, which supports none',
      message: {
        recipient: GROUP,
        text: 'Well?',
        object: buttons({ name: 'Yes' }, { name: 'No' }),
      },
      sees: [{ json: { to: GROUP, type: 'text', text: { body: 'Well?\n1. Yes\n2. No' } } }],
      outcome: SENT,
    },
    {
      it: 'sends a place to a group as text',
      message: { recipient: GROUP, object: { type: 'Place', latitude: 52.5, longitude: 13.25 } },
      sees: [{ json: { to: GROUP, type: 'text' } }],
      outcome: SENT,
    },

    ...media,
    {
      it: 'sends audio, followed by its caption',
      message: {
        object: {
          type: 'Audio',
          url: 'https://example.com/a.ogg',
          mediaType: 'audio/ogg',
          content: 'Listen',
        },
      },
      sees: [
        { json: { ...HEAD, type: 'audio', audio: { link: 'https://example.com/a.ogg' } } },
        { json: { type: 'text', text: { body: 'Listen' } } },
      ],
      outcome: { outcome: 'sent', id: 'wamid.2' },
    },
    ...[
      ['https://example.com/of/a.pdf?b/c#d/e', 'a.pdf'],
      ['https://example.com/', 'file'],
    ].map(([url = '', filename]): WhatsAppCase => ({
      it: `names a document without a name ${filename}`,
      message: { object: { type: 'Document', url } },
      sees: [{ json: { type: 'document', document: { link: url, filename } } }],
      outcome: SENT,
    })),
    {
      it: 'sends unsupported files as links',
      message: {
        object: { type: 'Image', url: 'https://example.com/a.webp', mediaType: 'image/webp' },
      },
      sees: [{ json: { type: 'text', text: { body: 'https://example.com/a.webp' } } }],
      outcome: SENT,
    },
    {
      it: 'sends a place with its name',
      message: { object: { type: 'Place', latitude: 52.5, longitude: -13.25, name: 'There' } },
      sees: [
        {
          json: {
            ...HEAD,
            type: 'location',
            location: { latitude: '52.5', longitude: '-13.25', name: 'There' },
          },
        },
      ],
      outcome: SENT,
    },
    {
      it: 'sends three reply buttons in a reply',
      message: {
        text: 'Well?',
        object: {
          ...buttons({ name: 'Yes' }, { name: 'No' }, { name: ' Perhaps' }),
          inReplyTo: 'wamid.earlier',
        },
      },
      sees: [
        {
          json: {
            ...HEAD,
            context: { message_id: 'wamid.earlier' },
            type: 'interactive',
            interactive: {
              type: 'button',
              body: { text: 'Well?' },
              action: {
                buttons: [
                  { type: 'reply', reply: { id: 'Yes', title: 'Yes' } },
                  { type: 'reply', reply: { id: 'No', title: 'No' } },
                  { type: 'reply', reply: { id: 'Perhaps', title: ' Perhaps' } },
                ],
              },
            },
          },
        },
      ],
      outcome: SENT,
    },
    {
      it: 'sends a link button below the longest allowed text',
      message: {
        text: 'x'.repeat(1024),
        object: buttons({ name: 'More', url: 'https://example.com/' }),
      },
      sees: [
        {
          json: {
            type: 'interactive',
            interactive: {
              type: 'cta_url',
              body: { text: 'x'.repeat(1024) },
              action: {
                name: 'cta_url',
                parameters: { display_text: 'More', url: 'https://example.com/' },
              },
            },
          },
        },
      ],
      outcome: SENT,
    },
    ...UNFIT.map(([why, text, object, list]): WhatsAppCase => ({
      it: `lists all buttons in the text: ${why}`,
      message: { text, object },
      sees: [
        {
          json: {
            ...HEAD,
            type: 'text',
            text: { body: `${text}\n${list}` },
          },
        },
      ],
      outcome: SENT,
      also: () => assertListed(whatsapp, { text, object }, why),
    })),
    {
      it: 'sends a text over the limit for buttons as two messages',
      message: {
        text: 'x'.repeat(4090),
        object: buttons({ name: 'Yes' }, { name: 'No' }),
      },
      sees: [{ json: { type: 'text' } }, { json: { type: 'text' } }],
      outcome: { outcome: 'sent', id: 'wamid.2' },
      also: (seen) => assert.match(bodiesOf(seen).join('\n'), /x\n1\. Yes\n2\. No$/),
    },

    ...refusals('credentials', [[33], [131_005], [131_031], [131_042], [133_010]]),
    ...refusals('recipient', [[130_472], [131_021], [131_049]]),
    ...refusals('template_refused', [
      [132_000],
      [132_001],
      [132_005],
      [132_007],
      [132_012],
      [132_015],
      [132_016],
    ]),
    ...refusals('content', [
      [131_008],
      [131_009, { details: 'the link is none' }],
      [131_051],
      [131_053],
    ]),
    {
      it: 'blames an unknown recipient',
      message: { recipient: PEOPLE.unreachable },
      outcome: { outcome: 'permanent', blame: 'recipient', code: '131026', detail: 'Unable' },
    },
    {
      it: 'blames the recipient outside the messaging window',
      message: { recipient: PEOPLE.silent },
      outcome: { outcome: 'permanent', blame: 'window_closed', code: '131047', detail: '24 hours' },
    },
    {
      it: 'blames the credentials when the sending number does not exist',
      credentials: { username: '1' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '100/33' },
    },
    ...(['send', 'check'] as const).flatMap((calls) =>
      ['', '+15550101234', '1/../2', 'me'].map((username): WhatsAppCase => ({
        it: `sends no request with the malformed number ${JSON.stringify(username)} (${calls})`,
        calls,
        credentials: { username },
        sees: [],
        outcome: { outcome: 'permanent', blame: 'credentials' },
      })),
    ),
    ...([130_429, 131_048] as const).map((code): WhatsAppCase => ({
      it: `rate limited: waits after error ${code}`,
      answers: [graphError(code, 'limit hit', { status: 429 })],
      outcome: { outcome: 'limited', scope: 'integration', code: String(code) },
    })),
    {
      it: 'rate limited: waits with a recipient who got too many messages',
      answers: [graphError(131_056, 'pair rate limit hit')],
      outcome: { outcome: 'limited', scope: 'recipient', code: '131056' },
    },
    ...(
      [
        [131_000, 500, true],
        [131_016, 500, false],
        [131_057, 500, false],
      ] as const
    ).map(([code, status, maybeSent]): WhatsAppCase => ({
      it: `retries after error ${code}`,
      answers: [graphError(code, 'try later', { status })],
      outcome: transient(maybeSent, String(code)),
    })),
    ...GRAPH_CASES,
    {
      it: 'check: names the number and sends nothing',
      calls: 'check',
      sees: [{ method: 'GET', path: `/${NUMBER_ID}?fields=verified_name,display_phone_number` }],
      outcome: { outcome: 'known', as: 'Example Ltd, +1 555-010-1234' },
    },
  ],
});

describe('whatsapp recipients', () => {
  it('whatsapp recipients must be phone numbers or user ids', () => {
    for (const id of ['16505551234', '+491701234567', 'US.13491208655302741918', 'US.ENT.1181']) {
      assert.equal(whatsapp.recipient.validate(id), undefined, id);
    }
    for (const id of ['', '+', '0491701', '1 650 555', 'US', 'us.123', 'US.1/2', 'a@b.example']) {
      assert.equal(typeof whatsapp.recipient.validate(id), 'string', id);
    }
  });
});
