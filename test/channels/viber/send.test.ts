import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { viber } from '../../../src/channels/viber/channel.ts';
import { textMember } from '../../../src/lib/json/json-member.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { FIRST_TOKEN, PEOPLE, TOKEN, openViber, viberError } from '../../emulators/viber.ts';
import { WITHOUT_ANSWER, WITHOUT_ID, transient } from '../faults.ts';
import { type Case, testChannel } from '../suite.ts';
import { assertListed, linkButton } from '../unsupported.ts';
import { UPLOADS } from './uploads.ts';

type ViberCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: FIRST_TOKEN } as const;
const SECOND = { outcome: 'sent', id: String(BigInt(FIRST_TOKEN) + 1n) } as const;
const HEAD = { receiver: PEOPLE.known, sender: { name: 'Example' } };

const TEXTS: Readonly<Record<string, string>> = {
  'ordinary text': 'Good morning!',
  emoji: '👩‍👩‍👧‍👦 🏳️‍🌈 (smiley)',
  'right-to-left text': 'שלום עולם مرحبا \u202eabc\u202c',
  'line breaks, tabs and quotes': 'one\ntwo\n\t"three" \\ four',
  'HTML-like text': '<b>a</b> &amp; b',
  'an address unchanged': 'https://example.com/a_b_c',
  'the longest text': 'x'.repeat(7000),
  'the longest text of three bytes each': '語'.repeat(7000),
};

const texts = Object.entries(TEXTS).map(([name, text]): ViberCase => ({
  it: `sends ${name}`,
  message: { text },
  sees: [{ method: 'POST', path: '/send_message', json: { ...HEAD, type: 'text', text } }],
  outcome: SENT,
}));

const BLAMED = {
  credentials: [2, 7, 8, 9, 10, 15, 18, 23, 24],
  recipient: [5, 6, 11, 13, 21],
  content: [1, 3, 4, 14, 99],
} as const;

const refusals = (['credentials', 'recipient', 'content'] as const).flatMap((blame) =>
  BLAMED[blame].map((status): ViberCase => ({
    it: `blames the ${blame} for status ${status}`,
    answers: [viberError(status, 'this is why')],
    outcome: { outcome: 'permanent', blame, code: String(status), detail: 'this is why' },
  })),
);

const textOf = ([seen]: readonly Request[]) => textMember(seen?.json, 'text') ?? '';
const YES = { type: 'Button', name: 'Yes & <no>' };
const MORE = { type: 'Button', name: 'More', url: 'https://example.com/' };
const LONG_LINK = {
  text: 'Go',
  object: { attachment: Array.from({ length: 15 }, () => linkButton(2048)) },
};
const KEYBOARD = {
  Type: 'keyboard',
  DefaultHeight: false,
  Buttons: [
    {
      Columns: 6,
      Rows: 1,
      ActionType: 'reply',
      ActionBody: 'Yes & <no>',
      Text: 'Yes &amp; &lt;no&gt;',
    },
    {
      Columns: 6,
      Rows: 1,
      ActionType: 'open-url',
      ActionBody: 'https://example.com/',
      Text: 'More',
    },
  ],
};

testChannel(viber, {
  open: openViber,
  credentials: { token: TOKEN, username: 'Example' },
  recipient: PEOPLE.known,
  cases: [
    ...texts,
    {
      it: 'authenticates in a header and sends only the needed fields',
      sees: [
        {
          headers: { 'x-viber-auth-token': TOKEN, 'content-type': 'application/json' },
          text: JSON.stringify({ ...HEAD, type: 'text', text: 'Good morning!' }),
        },
      ],
      outcome: SENT,
    },
    {
      it: 'sends a text over the limit as two messages',
      message: { text: 'x'.repeat(7001) },
      sees: [{ json: { text: 'x'.repeat(7000) } }, { json: { text: 'x' } }],
      outcome: SECOND,
    },
    {
      it: 'sends markup-like text unchanged',
      message: { text: 'Dial *100#: *a* _b_ ~c~ ```d```' },
      outcome: SENT,
      also: (seen) => assert.equal(textOf(seen), 'Dial *100#: *a* _b_ ~c~ ```d```'),
    },
    {
      it: "sends formatted text in its markup, except around the markup's own characters",
      message: {
        text: '**bold** *italic* ~~gone~~ `code` [here](https://example.com/) \\*not\\* **a\\*b**',
        object: { mediaType: 'text/markdown' },
      },
      outcome: SENT,
      also(seen) {
        const expected = '*bold* _italic_ ~gone~ ```code``` here (https://example.com/) *not* a*b';
        assert.equal(textOf(seen), expected);
      },
    },
    {
      it: 'sends an image with a caption and buttons below it',
      message: {
        object: {
          type: 'Image',
          url: 'https://example.com/a.PNG?size=1',
          mediaType: 'image/png',
          content: 'Look',
          attachment: [YES, MORE],
        },
      },
      sees: [
        {
          json: {
            ...HEAD,
            type: 'picture',
            text: 'Look',
            media: 'https://example.com/a.PNG?size=1',
            keyboard: KEYBOARD,
          },
        },
      ],
      outcome: SENT,
    },
    {
      it: 'sends an image without a caption',
      message: { object: { type: 'Image', url: 'https://example.com/a.jpg' } },
      sees: [{ json: { type: 'picture', text: '', media: 'https://example.com/a.jpg' } }],
      outcome: SENT,
    },
    ...(
      [
        ['Image', 'https://example.com/picture?name=a.png'],
        ['Image', 'https://example.com/a.webp'],
        ['Video', 'https://example.com/a.webm'],
      ] as const
    ).map(([type, url]): ViberCase => ({
      it: `sends a link to ${url}`,
      message: { object: { type, url } },
      sees: [{ json: { type: 'text', text: url } }],
      outcome: SENT,
    })),
    ...UPLOADS,
    {
      it: 'sends a place, followed by its text',
      message: {
        object: { type: 'Place', latitude: 52.5, longitude: -13.25, content: 'Come here' },
      },
      sees: [
        { json: { ...HEAD, type: 'location', location: { lat: 52.5, lon: -13.25 } } },
        { json: { type: 'text', text: 'Come here' } },
      ],
      outcome: SECOND,
    },
    {
      it: 'sends the name of a place after it',
      message: { object: { type: 'Place', latitude: 1, longitude: 2, name: 'Gate' } },
      sees: [{ json: { type: 'location' } }, { json: { type: 'text', text: 'Gate' } }],
      outcome: SECOND,
    },
    {
      it: 'sends buttons of both kinds with escaped names',
      message: { text: 'Well?', object: { attachment: [YES, MORE] } },
      sees: [{ json: { ...HEAD, type: 'text', text: 'Well?', keyboard: KEYBOARD } }],
      outcome: SENT,
    },
    {
      it: 'sends the maximum number of buttons with the longest names below the longest text',
      message: {
        text: '語'.repeat(5000),
        object: {
          attachment: Array.from({ length: 24 }, () => ({ type: 'Button', name: '&'.repeat(50) })),
        },
      },
      sees: [{ json: { text: '語'.repeat(5000), keyboard: {} } }],
      outcome: SENT,
    },
    {
      it: 'lists all buttons in the text when they exceed the request limit',
      message: LONG_LINK,
      outcome: { outcome: 'sent', id: String(BigInt(FIRST_TOKEN) + 4n) },
      also(seen) {
        const expected = seen.map((one) => textOf([one])).join('\n');
        assert.match(expected, /^Go\n1\. Far: https:/);
        assert.match(expected, /\n15\. Far: https:/);
        assert.ok(seen.every(({ text }) => !text.includes('keyboard')));
        assertListed(viber, LONG_LINK, 'at most 30 KB');
      },
    },

    ...refusals,
    {
      it: 'blames the recipient who has unsubscribed',
      message: { recipient: PEOPLE.unsubscribed },
      outcome: { outcome: 'permanent', blame: 'recipient', code: '6', detail: 'notSubscribed' },
    },
    {
      it: 'blames an unknown recipient',
      message: { recipient: PEOPLE.unknown },
      outcome: { outcome: 'permanent', blame: 'recipient', code: '5' },
    },
    {
      it: 'blames the credentials when the token is wrong',
      credentials: { token: 'fake-token-that-was-revoked' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '2' },
    },
    ...(
      [
        { token: '' },
        { token: 'fake token' },
        { token: 'fake\r\nx: y' },
        { token: 'fäke' },
        { username: undefined },
        { username: ' ' },
        { username: 'x'.repeat(29) },
      ] as const
    ).map((credentials): ViberCase => ({
      it: `sends no request with the invalid credentials ${JSON.stringify(credentials)}`,
      credentials,
      sees: [],
      outcome: { outcome: 'permanent', blame: 'credentials' },
    })),
    {
      it: 'rate limited: waits with a recipient who got too many messages without replying',
      answers: [viberError(12, 'Too many requests')],
      outcome: { outcome: 'limited', scope: 'recipient', code: '12' },
    },
    {
      it: 'rate limited: waits when the response is not JSON',
      answers: [{ status: 429, body: 'slow down' }],
      outcome: { outcome: 'limited', scope: 'integration', code: '429' },
    },
    {
      it: 'retries after an unknown Viber error',
      answers: [viberError(-1, 'generalError')],
      outcome: transient(true, '-1'),
    },
    ...([500, 502, 504] as const).map((status): ViberCase => ({
      it: `retries after ${status}: the message may have been sent`,
      answers: [{ status, body: '<html>' }],
      outcome: transient(true, String(status)),
    })),
    ...([302, 403, 404, 503] as const).map((status): ViberCase => ({
      it: `retries after ${status}: the message was not sent`,
      answers: [{ status, headers: { location: 'https://example.com/' }, body: 'no' }],
      outcome: transient(false, String(status)),
    })),
    ...WITHOUT_ID,
    ...WITHOUT_ANSWER,

    {
      it: 'check: names the bot and sends nothing',
      calls: 'check',
      sees: [{ path: '/get_account_info', text: '{}' }],
      outcome: { outcome: 'known', as: 'Example bot' },
    },
    {
      it: 'check: rejects an unknown token',
      calls: 'check',
      credentials: { token: 'fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '2' },
    },
    {
      it: 'check: retries when the response does not name the bot',
      calls: 'check',
      answers: [{ status: 200, body: { status: 0 } }],
      outcome: transient(true, '0'),
    },
  ],
});

describe('viber recipients', () => {
  it('viber recipients must be base64', () => {
    assert.equal(viber.recipient.validate('K917PBuvPZmhKfb8Vw3b2Q=='), undefined);
    for (const id of ['', '+491701234567 ', 'a b', '====', 'a@b.example', 'a===']) {
      assert.equal(typeof viber.recipient.validate(id), 'string', id);
    }
  });
});
