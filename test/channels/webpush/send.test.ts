import assert from 'node:assert/strict';
import { test } from 'node:test';

import { webpush } from '../../../src/channels/webpush/channel.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { LOCATION, VAPID, openWebpush, refusal, subscription } from '../../emulators/webpush.ts';
import { WITHOUT_ANSWER, transient } from '../faults.ts';
import { ODD_TEXTS } from '../self-hosted.ts';
import { type Case, openContext, outgoing, resultOf, testChannel } from '../suite.ts';
import { assertListed, linkButton } from '../unsupported.ts';

type PushCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: LOCATION } as const;
const NOW = new Date();
const HOUR_MS = 3_600_000;
const DAYS_28 = '2419200';
const LONGEST = 'x'.repeat(2400);
/** 12,345 characters of URL fit into no push message. */
const LONG_URL = `https://example.com/${'a'.repeat(12_325)}`;

/** Options that the browser reads. */
const SHOWN = {
  tag: 'order 17',
  silent: true,
  url: 'https://example.com/17',
  icon: 'https://example.com/i.png',
};

const shown = (notification: object) => ({ text: JSON.stringify(notification) });

const withOptions = (
  it: string,
  options: object,
  headers: object,
  more: object = {},
): PushCase => ({
  it,
  message: { options: { ...options } },
  sees: [{ headers, ...shown({ body: 'Good morning!', ...more }) }],
  outcome: SENT,
});

const permanent = (blame: 'recipient' | 'content', status: number): PushCase => ({
  it: `blames the ${blame} for ${status}`,
  answers: [refusal(status, 'Reason')],
  outcome: { outcome: 'permanent', blame, code: String(status), detail: 'Reason' },
});

const malformed = (what: string, credentials: PushCase['credentials']): PushCase => ({
  it: `sends no request with ${what}`,
  credentials: { ...credentials },
  sees: [],
  outcome: { outcome: 'permanent', blame: 'credentials' },
});

testChannel(webpush, {
  open: openWebpush,
  credentials: VAPID,
  recipient: subscription(),
  cases: [
    ...Object.entries({ ...ODD_TEXTS, markup: '*a* _b_ <c>', 'the longest text': LONGEST }).map(
      ([what, text]): PushCase => ({
        it: `sends ${what} as it is`,
        message: { text },
        sees: [
          {
            method: 'POST',
            path: '/p/known?v=2',
            headers: { ttl: DAYS_28, 'content-encoding': 'aes128gcm' },
            ...shown({ body: text }),
          },
        ],
        outcome: SENT,
      }),
    ),
    {
      it: 'sends a text one character over the limit as two messages',
      message: { text: `${LONGEST}y` },
      sees: [shown({ body: LONGEST }), shown({ body: 'y' })],
      outcome: SENT,
    },
    {
      it: 'sends a title',
      message: { object: { name: 'Order 17' } },
      sees: [shown({ title: 'Order 17', body: 'Good morning!' })],
      outcome: SENT,
    },
    {
      it: 'sends an image with its caption',
      message: { object: { type: 'Image', url: 'https://example.com/a.png', content: 'Look' } },
      sees: [shown({ body: 'Look', image: 'https://example.com/a.png' })],
      outcome: SENT,
    },
    {
      it: 'sends an image with a URL that does not fit as a link',
      message: { object: { type: 'Image', url: LONG_URL } },
      outcome: SENT,
      also: (seen) => assert.ok(seen.every(({ text }) => !text.includes('"image"'))),
    },
    {
      it: 'sends a video as a link, because notifications show images only',
      message: { object: { type: 'Video', url: 'https://example.com/a.mp4', content: 'Look' } },
      sees: [shown({ body: 'Look\nhttps://example.com/a.mp4' })],
      outcome: SENT,
    },
    {
      it: 'sends link buttons',
      message: {
        object: { attachment: [{ type: 'Button', name: 'More', url: 'https://example.com/' }] },
      },
      sees: [
        shown({
          body: 'Good morning!',
          actions: [{ action: 'https://example.com/', title: 'More' }],
        }),
      ],
      outcome: SENT,
    },
    {
      it: 'lists buttons that send a value, because no press returns',
      message: { text: 'Tea?', object: { attachment: [{ type: 'Button', name: 'Yes' }] } },
      sees: [shown({ body: 'Tea?\n1. Yes' })],
      outcome: SENT,
    },
    {
      it: 'lists buttons with URLs that do not fit',
      message: { object: { attachment: [linkButton(2048), linkButton(2048)] } },
      outcome: SENT,
      also(seen) {
        assert.ok(seen.every(({ text }) => !text.includes('"actions"')));
        const object = { attachment: [linkButton(2048), linkButton(2048)] };
        assertListed(webpush, { object }, '3,993 bytes');
      },
    },

    withOptions('sets the time to live', { ttl: 60 }, { ttl: '60' }),
    withOptions('sets the urgency', { urgency: 'very-low' }, { urgency: 'very-low' }),
    withOptions('sets the topic', { topic: 'order_17-x' }, { topic: 'order_17-x' }),
    withOptions('sets tag, sound, URL and icon', SHOWN, { ttl: DAYS_28 }, SHOWN),
    ...[
      { it: 'limits the time to live to the expiry', options: {}, ttl: '3600' },
      { it: 'keeps a time to live before the expiry', options: { ttl: 60 }, ttl: '60' },
    ].map(({ it, options, ttl }): PushCase => ({
      it,
      at: NOW.toISOString(),
      message: { options, endTime: new Date(NOW.getTime() + HOUR_MS).toISOString() },
      sees: [{ headers: { ttl } }],
      outcome: SENT,
    })),
    {
      it: 'sends the longest content with the longest options',
      message: {
        text: '"'.repeat(1200),
        object: { name: 'x'.repeat(300) },
        options: {
          tag: '😀'.repeat(64),
          silent: false,
          url: `https://example.com/${'a'.repeat(380)}`,
          icon: `https://example.com/${'a'.repeat(380)}`,
        },
      },
      sees: [{}],
      outcome: SENT,
    },

    {
      it: 'blames the recipient for a subscription that has ended',
      message: { recipient: subscription('gone') },
      outcome: { outcome: 'permanent', blame: 'recipient', code: '410', detail: 'Unregistered' },
    },
    {
      it: 'blames the recipient for a subscription with another VAPID key',
      credentials: {
        secret: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
        consumer_key:
          'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
      },
      outcome: { outcome: 'permanent', blame: 'recipient', code: '403', detail: 'BadJwtToken' },
    },
    ...[401, 403, 404, 410].map((status) => permanent('recipient', status)),
    ...[400, 413].map((status) => permanent('content', status)),
    malformed('a malformed private key', { secret: 'fake' }),
    malformed('a private key that is zero', { secret: 'A'.repeat(43) }),
    malformed('a malformed public key', { consumer_key: `${VAPID.consumer_key}=` }),
    malformed('keys that are no pair', {
      secret: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
    }),
    ...['', 'ops@example.org', 'mailto:ops', 'http://example.org', 'mailto:a"@example.org'].map(
      (address) => malformed(`the contact ${JSON.stringify(address)}`, { address }),
    ),

    {
      it: 'waits for the time in Retry-After, for this recipient only',
      answers: [refusal(429, 'TooManyRequests', { 'retry-after': '7' })],
      outcome: { outcome: 'limited', scope: 'recipient', seconds: 7, code: '429' },
    },
    ...[500, 502, 503, 408].map((status): PushCase => ({
      it: `retries after ${status}`,
      answers: [{ status, body: '<html>' }],
      outcome: transient(status === 500 || status === 502, String(status)),
    })),
    {
      it: 'does not follow redirects',
      answers: [{ status: 307, headers: { location: 'https://example.com/' }, body: '' }],
      sees: [{}],
      outcome: transient(false, '307'),
    },
    {
      it: 'states the error that a push service answers in plain text',
      answers: [{ status: 403, body: 'the key does not match\nmore' }],
      outcome: {
        outcome: 'permanent',
        blame: 'recipient',
        code: '403',
        detail: /: the key does not match$/,
      },
    },
    ...WITHOUT_ANSWER,
    ...(['html', 'empty'] as const).map((answer): PushCase => ({
      it: `counts a success without an id as sent: ${answer}`,
      answers: [answer],
      outcome: { outcome: 'sent' },
    })),
  ],
});

test('webpush blames the recipient for an endpoint in a private network', async () => {
  await using context = openContext({ credentials: VAPID, url: '' });
  const recipient = subscription().replace('push.example.net', '10.0.0.1');
  const result = await resultOf(webpush, 'send', outgoing({ recipient }), undefined, context);
  assert.partialDeepStrictEqual(result, { outcome: 'permanent', blame: 'recipient' });
});
