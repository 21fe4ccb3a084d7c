import assert from 'node:assert/strict';

import { line } from '../../../src/channels/line/channel.ts';
import { textMember } from '../../../src/lib/json/json-member.ts';
import { CHANNEL, PEERS, QUOTE, SECRET, TOKEN, lineError, openLine } from '../../emulators/line.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { WITHOUT_ANSWER, WITHOUT_ID, transient } from '../faults.ts';
import { type Case, testChannel } from '../suite.ts';
import { assertListed, linkButton } from '../unsupported.ts';
import { lineCarousels } from './carousels.ts';
import { OPTION_CASES } from './options.ts';

type LineCase = Case<Request, Reply | ConnectionFault>;

const PUSH = { method: 'POST', path: '/v2/bot/message/push' };
const ISSUE = { method: 'POST', path: '/oauth2/v3/token' };
const ID = '461230966842064897';
const IMAGE_URL = 'https://example.com/a';
const SENT = { outcome: 'sent', id: `${ID}:${QUOTE}` } as const;

/** Texts that must arrive unchanged. */
const TEXTS = {
  'ordinary text': 'Good morning!',
  emoji: '👩‍👩‍👧‍👦 🏳️‍🌈 $ (happy)',
  'right-to-left text': 'שלום עולם مرحبا \u202eabc\u202c',
  'markup of other products': '*b* _i_ `c` <b>&amp;</b> [a](https://example.com) {x}',
  'line breaks, tabs and quotes': 'one\ntwo\r\n\t"three" \\ four\u2028five',
  'the longest text': 'x'.repeat(5000),
  'the longest text of emoji': '👋'.repeat(2500),
};

const texts = Object.entries(TEXTS).map(([name, text]): LineCase => ({
  it: `sends ${name}`,
  message: { text },
  sees: [{ ...PUSH, json: { to: PEERS.user, messages: [{ type: 'text', text }] } }],
  outcome: SENT,
}));

const media = (type: string, mediaType: string, more = {}) => ({
  object: { type, url: IMAGE_URL, mediaType, ...more },
});

const urlOf = (more: object) => textMember(more, 'url') ?? IMAGE_URL;

const WITHOUT_TOKEN = { token: undefined, username: CHANNEL, secret: SECRET };

testChannel(line, {
  open: openLine,
  credentials: { token: TOKEN, secret: 'canary-of-the-hook' },
  recipient: PEERS.user,
  cases: [
    ...OPTION_CASES,
    ...texts,
    ...([PEERS.group, PEERS.room] as const).map((recipient): LineCase => ({
      it: `sends to ${recipient.charAt(0)}…`,
      message: { recipient },
      sees: [{ json: { to: recipient } }],
      outcome: SENT,
    })),
    {
      it: 'authenticates and sends a retry key',
      sees: [
        {
          headers: {
            authorization: `Bearer ${TOKEN}`,
            'content-type': 'application/json',
          },
        },
      ],
      outcome: SENT,
    },
    {
      it: 'sends a text over the limit as two messages',
      message: { text: `${'x'.repeat(5000)} yz` },
      sees: [
        { json: { messages: [{ text: 'x'.repeat(5000) }] } },
        { json: { messages: [{ text: 'yz' }] } },
      ],
      outcome: { outcome: 'sent', id: `461230966842064898:${QUOTE}` },
    },
    {
      it: 'sends formatted text as plain text',
      message: {
        text: '**bold** [a](https://example.com/)',
        object: { mediaType: 'text/markdown' },
      },
      sees: [{ json: { messages: [{ text: 'bold a (https://example.com/)' }] } }],
      outcome: SENT,
    },
    {
      it: 'recognizes an accepted message by its retry key',
      answers: [{ status: 409, body: { message: 'accepted', sentMessages: [{ id: '7' }] } }],
      outcome: { outcome: 'sent', id: '7' },
    },
    {
      it: 'treats an already accepted message as sent, whatever its id',
      answers: [lineError(409, 'The retry key is already accepted')],
      outcome: { outcome: 'sent' },
    },

    {
      it: 'sends an image, which cannot quote, followed by its caption',
      message: media('Image', 'image/jpeg', { content: 'A cat', inReplyTo: QUOTE }),
      sees: [
        {
          json: {
            messages: [
              { type: 'image', originalContentUrl: IMAGE_URL, previewImageUrl: IMAGE_URL },
            ],
          },
        },
        { json: { messages: [{ type: 'text', text: 'A cat' }] } },
      ],
      outcome: { outcome: 'sent', id: `461230966842064898:${QUOTE}` },
    },
    ...(['image/png', 'video/mp4'] as const).map((mediaType): LineCase => ({
      it: `sends ${mediaType} with a preview`,
      message: media(mediaType === 'video/mp4' ? 'Video' : 'Image', mediaType, {
        preview: { type: 'Link', url: 'https://example.com/small.png' },
      }),
      sees: [{ json: { messages: [{ previewImageUrl: 'https://example.com/small.png' }] } }],
      outcome: SENT,
    })),
    ...(
      [
        ['Image', 'image/gif', {}],
        ['Image', 'image/png', { url: 'http://example.com/a' }],
        ['Video', 'video/mp4', {}],
        ['Video', 'video/mp4', { preview: 'http://example.com/small.png' }],
        ['Video', 'video/webm', { preview: 'https://example.com/small.png' }],
        ['Audio', 'audio/mpeg', {}],
        ['Audio', 'audio/ogg', { duration: 'PT5S' }],
        ['Document', 'application/pdf', {}],
      ] as const
    ).map(([type, mediaType, more]): LineCase => ({
      it: `sends a link to ${mediaType} with ${JSON.stringify(more)}`,
      message: media(type, mediaType, more),
      sees: [{ json: { messages: [{ type: 'text', text: urlOf(more) }] } }],
      outcome: SENT,
    })),
    {
      it: 'sends audio with its duration',
      message: media('Audio', 'audio/mpeg', { duration: 'PT1M5.25S' }),
      sees: [
        {
          json: {
            messages: [{ type: 'audio', originalContentUrl: IMAGE_URL, duration: 65_250 }],
          },
        },
      ],
      outcome: SENT,
    },
    {
      it: 'sends a place',
      message: {
        object: { type: 'Place', latitude: 35.68, longitude: 139.74, name: '🗼'.repeat(60) },
      },
      sees: [
        {
          json: {
            messages: [
              {
                type: 'location',
                title: '🗼'.repeat(50),
                address: '35.68, 139.74',
                latitude: 35.68,
                longitude: 139.74,
              },
            ],
          },
        },
      ],
      outcome: { outcome: 'sent', id: ID },
    },
    {
      it: 'sends a place without a name',
      message: { object: { type: 'Place', latitude: 1, longitude: 2 } },
      sees: [{ json: { messages: [{ title: '1, 2' }] } }],
      outcome: { outcome: 'sent', id: ID },
    },
    {
      it: 'sends buttons',
      message: {
        object: {
          attachment: [
            { type: 'Button', name: 'Yes' },
            { type: 'Button', name: 'No', value: 'order-7:no' },
            { type: 'Button', name: 'More', url: 'https://example.com/' },
            { type: 'Button', name: 'Call', url: 'tel:+15550100' },
          ],
        },
      },
      sees: [
        {
          json: {
            messages: [
              {
                quickReply: {
                  items: [
                    {
                      action: { type: 'postback', data: '["Yes","Yes"]', displayText: 'Yes' },
                    },
                    { action: { type: 'postback', label: 'No', data: '["No","order-7:no"]' } },
                    {
                      type: 'action',
                      action: { type: 'uri', label: 'More', uri: 'https://example.com/' },
                    },
                    { action: { type: 'uri', label: 'Call', uri: 'tel:+15550100' } },
                  ],
                },
              },
            ],
          },
        },
      ],
      outcome: SENT,
    },
    ...lineCarousels(`${ID}:${QUOTE}`, `${BigInt(ID) + 1n}:${QUOTE}`),
    ...[1000, 1001].map((length): LineCase => {
      const message = { text: 'Go', object: { attachment: [linkButton(length)] } };
      const uri = linkButton(length).url;
      const isFit = length === 1000;
      return {
        it: `sends a button with an address of ${length} characters${isFit ? '' : ' as a list'}`,
        message,
        sees: [
          {
            json: {
              messages: [
                isFit
                  ? { text: 'Go', quickReply: { items: [{ action: { type: 'uri', uri } }] } }
                  : { text: `Go\n1. Far: ${uri}` },
              ],
            },
          },
        ],
        outcome: SENT,
        also: () => void (isFit || assertListed(line, message, 'at most 1000')),
      };
    }),
    ...[QUOTE, `${ID}:${QUOTE}`].map((inReplyTo): LineCase => ({
      it: `quotes ${inReplyTo.slice(0, 8)}…`,
      message: { object: { inReplyTo } },
      sees: [{ json: { messages: [{ type: 'text', quoteToken: QUOTE }] } }],
      outcome: SENT,
    })),
    {
      it: 'does not quote a message without a quote token',
      message: { object: { inReplyTo: ID } },
      also: ([seen]) => assert.ok(!seen?.text.includes('quoteToken')),
      outcome: SENT,
    },

    {
      it: 'requests a token with the channel’s id and secret',
      credentials: WITHOUT_TOKEN,
      sees: [
        { ...ISSUE, form: { grant_type: 'client_credentials', client_id: CHANNEL } },
        { ...PUSH, headers: { authorization: 'Bearer fake-token-1' } },
      ],
      outcome: SENT,
    },
    {
      it: 'requests a new token when the current one is rejected',
      credentials: WITHOUT_TOKEN,
      answers: [
        { status: 200, body: { access_token: 'fake-token-0', expires_in: 899 } },
        lineError(401, 'Authentication failed'),
      ],
      sees: [ISSUE, PUSH, ISSUE, PUSH],
      outcome: SENT,
    },
    {
      it: 'requests a new token only once',
      credentials: WITHOUT_TOKEN,
      answers: [1, 2].flatMap(() => [
        { status: 200, body: { access_token: 'fake-token-0', expires_in: 899 } },
        lineError(401, 'Authentication failed'),
      ]),
      sees: [ISSUE, PUSH, ISSUE, PUSH],
      outcome: { outcome: 'permanent', blame: 'credentials', code: '401' },
    },
    {
      it: 'blames the credentials when the token request is refused',
      credentials: { ...WITHOUT_TOKEN, secret: 'fake-other' },
      sees: [ISSUE],
      outcome: {
        outcome: 'permanent',
        blame: 'credentials',
        code: 'invalid_client',
        detail: 'invalid client_secret',
      },
    },
    ...(['reset', { status: 500, body: 'x' }, { status: 403, body: 'x' }] as const).map(
      (answer, i): LineCase => ({
        it: `retries when the token request fails temporarily (${i + 1})`,
        credentials: WITHOUT_TOKEN,
        answers: [answer],
        sees: [ISSUE],
        outcome: transient(false, typeof answer === 'string' ? undefined : String(answer.status)),
      }),
    ),

    {
      it: 'blames an unknown recipient',
      message: { recipient: PEERS.unknown },
      outcome: { outcome: 'permanent', blame: 'recipient', code: '400' },
    },
    ...(
      [
        [
          400,
          "The property, 'to', in the request body is invalid (line: -, column: -)",
          'recipient',
        ],
        [404, 'Not found', 'recipient'],
        [403, 'Access to this API is not available for your account', 'credentials'],
        [400, 'A message (messages[0]) in the request body is invalid', 'content'],
        [413, 'Request exceeds the max size of 2MB', 'content'],
      ] as const
    ).map(([status, message, blame]): LineCase => ({
      it: `blames the ${blame} for ${status} ${message.slice(0, 40)}`,
      answers: [lineError(status, message)],
      outcome: { outcome: 'permanent', blame, code: String(status), detail: message },
    })),
    {
      it: 'reports empty content',
      message: { text: ' \n ' },
      outcome: {
        outcome: 'permanent',
        blame: 'content',
        code: '400',
        detail: 'The request body has 1 error(s); messages[0].text: Invalid value',
      },
    },
    {
      it: 'blames the credentials when the token is wrong',
      credentials: { token: 'fake-token-that-was-revoked' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '401' },
    },
    ...(
      [
        { token: 'fake token' },
        { token: 'fake\r\nx: y' },
        { token: 'fäke' },
        { token: '', secret: undefined },
        { token: undefined, username: 'x', secret: SECRET },
        { token: undefined, username: CHANNEL, secret: '' },
      ] as const
    ).map((credentials): LineCase => ({
      it: `sends no request with the invalid credentials ${JSON.stringify(credentials)}`,
      credentials,
      sees: [],
      outcome: { outcome: 'permanent', blame: 'credentials' },
    })),

    ...(
      [
        'The API rate limit has been exceeded. Try again later.',
        'You have reached your monthly limit.',
      ] as const
    ).map((message): LineCase => ({
      it: `rate limited: waits after ${message}`,
      answers: [lineError(429, message)],
      outcome: { outcome: 'limited', scope: 'integration', code: '429', detail: message },
    })),
    {
      it: 'rate limited: waits as long as the response says',
      answers: [{ status: 429, headers: { 'retry-after': '7' }, body: 'slow' }],
      outcome: { outcome: 'limited', scope: 'integration', seconds: 7, code: '429' },
    },
    ...([500, 502, 504] as const).map((status): LineCase => ({
      it: `retries after ${status}: the message may have been sent`,
      answers: [lineError(status, 'Internal server error')],
      outcome: transient(true, String(status)),
    })),
    ...([302, 403, 404, 503] as const).map((status): LineCase => ({
      it: `retries after ${status} from something other than LINE`,
      answers: [{ status, headers: { location: 'https://example.com/' }, body: 'no' }],
      outcome: transient(false, String(status)),
    })),
    ...WITHOUT_ID,
    ...WITHOUT_ANSWER,

    {
      it: 'check: names the token’s owner and sends nothing',
      calls: 'check',
      sees: [{ method: 'GET', path: '/v2/bot/info' }],
      outcome: { outcome: 'known', as: 'Example (@216ru)' },
    },
    {
      it: 'check: rejects an unknown token',
      calls: 'check',
      credentials: { token: 'fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '401' },
    },
  ],
});
