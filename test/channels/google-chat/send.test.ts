import assert from 'node:assert/strict';

import { googleChat } from '../../../src/channels/google-chat/channel.ts';
import {
  EARLIER as BEFORE,
  EMAIL,
  KEY_FILE,
  PRIVATE_KEY,
  SPACE,
  TOKEN,
  googleError,
  openGoogleChat,
} from '../../emulators/google-chat.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { WITHOUT_ANSWER, WITHOUT_ID, transient } from '../faults.ts';
import { type Case, testChannel } from '../suite.ts';
import { assertListed, linkButton } from '../unsupported.ts';
import { OPTION_CASES } from './options.ts';
import { formatted, texts } from './texts.ts';

type ChatCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: `${SPACE}/messages/T1.M1:${SPACE}/threads/T1` } as const;
const SECOND = { outcome: 'sent', id: `${SPACE}/messages/T2.M2:${SPACE}/threads/T2` } as const;
const EARLIER = { id: `${BEFORE}:${SPACE}/threads/Before`, recipient: SPACE };
const ISSUE = { method: 'POST', path: '/token' };

const REFUSALS: readonly (readonly [
  number,
  string,
  string,
  'credentials' | 'recipient' | 'content',
])[] = [
  [
    403,
    'PERMISSION_DENIED',
    'Google Chat API has not been used in project 1 before',
    'credentials',
  ],
  [403, 'PERMISSION_DENIED', 'Request had insufficient authentication scopes.', 'credentials'],
  [404, 'NOT_FOUND', 'Google Chat app not found. To create a Chat app, …', 'credentials'],
  [403, 'PERMISSION_DENIED', 'The caller does not have permission', 'recipient'],
  [400, 'INVALID_ARGUMENT', 'Request contains an invalid argument.', 'content'],
  [413, 'FAILED_PRECONDITION', 'Too much', 'content'],
];

const photo = (more = {}) => ({
  object: { type: 'Image', url: 'https://example.com/a.png', mediaType: 'image/png', ...more },
});
const LONG_LINK = {
  text: 'Go',
  object: { attachment: Array.from({ length: 15 }, () => linkButton(2048)) },
};
const app = { token: undefined, consumer_key: EMAIL, consumer_secret: PRIVATE_KEY };

testChannel(googleChat, {
  open: openGoogleChat,
  credentials: { token: TOKEN },
  recipient: SPACE,
  cases: [
    ...OPTION_CASES,
    ...texts,
    ...formatted,
    {
      it: 'authenticates, sends an idempotency key and requests only the needed scope',
      also: ([seen]) => {
        const { pathname, searchParams } = new URL(seen?.path ?? '', 'http://localhost');
        assert.equal(pathname, `/${SPACE}/messages`);
        assert.match(searchParams.get('requestId') ?? '', /^[0-9a-f]{64}$/);
        assert.equal(searchParams.get('fields'), 'name,thread(name)');
        assert.equal(seen?.headers['authorization'], `Bearer ${TOKEN}`);
      },
      outcome: SENT,
    },
    {
      it: 'sends a text over the limit as two messages',
      message: { text: `${'日'.repeat(10_000)} x` },
      sees: [{ json: { text: '日'.repeat(10_000) } }, { json: { text: 'x' } }],
      outcome: SECOND,
    },
    {
      it: 'sends formatted text in its markup',
      message: {
        text: '**b** *i* ~~s~~ `a*b` [a_b](https://example.com/a_b)\n\n```\nx\n    y *z*\n```',
        object: { mediaType: 'text/markdown' },
      },
      sees: [
        {
          json: {
            text: '**b** *i* ~~s~~ `a*b` [a\\_b](<https://example.com/a_b>)\n\n```\nx\n    y *z*\n```\n',
          },
        },
      ],
      outcome: SENT,
    },

    {
      it: 'sends an image on a card',
      message: photo({ name: 'A cat', content: 'Look: *it*' }),
      sees: [
        {
          json: {
            text: 'Look: \\*it\\*',
            cardsV2: [
              {
                card: {
                  sections: [
                    {
                      widgets: [
                        { image: { imageUrl: 'https://example.com/a.png', altText: 'A cat' } },
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
      it: 'sends an image without a caption',
      message: photo(),
      also: ([seen]) => assert.deepEqual(Object.keys(Object(seen?.json)), ['cardsV2']),
      outcome: SENT,
    },
    ...(
      [
        photo({ mediaType: 'image/svg+xml' }),
        photo({ type: 'Video', mediaType: 'video/mp4' }),
        photo({ type: 'Document', mediaType: 'application/pdf' }),
      ] as const
    ).map((message): ChatCase => ({
      it: `sends a link to ${message.object.mediaType}`,
      message,
      sees: [{ json: { text: '<https://example.com/a.png>' } }],
      outcome: SENT,
    })),
    {
      it: 'sends a button below the longest text',
      message: { text: 'x'.repeat(30_000), object: { attachment: [linkButton(100)] } },
      sees: [{ json: { text: 'x'.repeat(30_000), cardsV2: [{}] } }],
      outcome: SENT,
    },
    {
      it: 'lists all buttons in the text when they exceed the request limit',
      message: LONG_LINK,
      sees: [{}, {}],
      outcome: SECOND,
      also(seen) {
        assert.ok(seen.every(({ text }) => !text.includes('buttonList')));
        assertListed(googleChat, LONG_LINK, 'at most 32,000 bytes');
      },
    },
    {
      it: 'sends buttons below an image',
      message: photo({
        attachment: [
          { type: 'Button', name: 'Yes' },
          { type: 'Button', name: 'More', url: 'https://example.com/' },
        ],
      }),
      sees: [
        {
          json: {
            cardsV2: [
              {
                card: {
                  sections: [
                    {
                      widgets: [
                        { image: {} },
                        {
                          buttonList: {
                            buttons: [
                              {
                                text: 'Yes',
                                onClick: { action: { parameters: [{ value: 'Yes' }] } },
                              },
                              {
                                text: 'More',
                                onClick: { openLink: { url: 'https://example.com/' } },
                              },
                            ],
                          },
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
    ...(
      [
        [EARLIER.id, { name: `${SPACE}/threads/Before` }, 'Before'],
        [BEFORE, { name: `${SPACE}/threads/Before` }, 'Before'],
        ['order-17', { threadKey: 'order-17' }, `K${Buffer.from('order-17').toString('hex')}`],
      ] as const
    ).flatMap(([id, thread, name]): ChatCase[] =>
      [{ context: id }, { object: { inReplyTo: id } }].map((message) => ({
        it: `replies in the thread of ${JSON.stringify(message)}`,
        message,
        sees: [{ json: { thread } }],
        outcome: {
          outcome: 'sent',
          id: `${SPACE}/messages/${name}.M1:${SPACE}/threads/${name}`,
        },
      })),
    ),

    ...(
      [
        ['separate key fields', app],
        ['a complete key file', { token: KEY_FILE }],
        [
          'a key with escaped line breaks',
          { ...app, consumer_secret: PRIVATE_KEY.replaceAll('\n', '\\n') },
        ],
      ] as const
    ).map(([what, credentials]): ChatCase => ({
      it: `requests a token with ${what}`,
      credentials,
      sees: [ISSUE, { headers: { authorization: 'Bearer fake-token-1' } }],
      outcome: SENT,
    })),
    {
      it: 'requests a new token once when the current one is rejected',
      credentials: app,
      answers: [1, 2].flatMap(() => [
        { status: 200, body: { access_token: 'fake-token-0', expires_in: 3599 } },
        googleError(401, 'UNAUTHENTICATED', 'Invalid'),
      ]),
      sees: [ISSUE, {}, ISSUE, {}],
      outcome: { outcome: 'permanent', blame: 'credentials', code: 'UNAUTHENTICATED' },
    },
    {
      it: 'blames the credentials when the token request is refused',
      credentials: { ...app, consumer_key: 'fake@example.com' },
      sees: [ISSUE],
      outcome: {
        outcome: 'permanent',
        blame: 'credentials',
        code: 'invalid_grant',
        detail: 'account not found',
      },
    },
    {
      it: 'retries when the token request fails temporarily',
      credentials: app,
      answers: ['reset'],
      outcome: transient(false),
    },
    ...(
      [
        { token: 'fake token' },
        { token: 'fake\r\nx: y' },
        { token: '{"client_email": "fake"}' },
        { token: '{fake' },
        { ...app, consumer_secret: 'fake' },
        { ...app, consumer_key: undefined },
        { token: undefined, address: 'https://chat.googleapis.com/v1/spaces/A/messages' },
        {
          token: undefined,
          address: `https://fake@chat.googleapis.com/v1/${SPACE}/messages?key=a&token=b`,
        },
        {
          token: undefined,
          address: `ftp://chat.googleapis.com/v1/${SPACE}/messages?key=a&token=b`,
        },
        { token: undefined, address: `https://a/v1/${SPACE}/messages?key=a&token=b#c` },
      ] as const
    ).map((credentials, i): ChatCase => ({
      it: `sends no request with invalid credentials (${i + 1})`,
      credentials,
      sees: [],
      outcome: { outcome: 'permanent', blame: 'credentials' },
    })),

    ...REFUSALS.map(([status, code, message, blame]): ChatCase => ({
      it: `blames the ${blame} for ${message}`,
      answers: [googleError(status, code, message)],
      outcome: { outcome: 'permanent', blame, code, detail: message },
    })),
    ...(
      [
        ['spaces/foreign', 'PERMISSION_DENIED'],
        ['spaces/nowhere', 'NOT_FOUND'],
      ] as const
    ).map(([recipient, code]): ChatCase => ({
      it: `blames the recipient ${recipient}`,
      message: { recipient },
      outcome: { outcome: 'permanent', blame: 'recipient', code },
    })),
    {
      it: 'blames the content when the text is empty',
      message: { text: ' \n ' },
      outcome: { outcome: 'permanent', blame: 'content', code: 'INVALID_ARGUMENT' },
    },
    {
      it: 'blames the credentials when the token is wrong',
      credentials: { token: 'fake-revoked' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: 'UNAUTHENTICATED' },
    },
    ...(
      [
        [
          'Quota exceeded for per-space writes',
          'recipient',
          { details: [{ retryDelay: '1.5s' }] },
          2,
        ],
        ['Quota exceeded, MessageWritesPerMinutePerProject', 'integration', {}, undefined],
      ] as const
    ).map(([message, scope, more, seconds]): ChatCase => ({
      it: `rate limited: waits with the ${scope} after ${message}`,
      answers: [googleError(429, 'RESOURCE_EXHAUSTED', message, more)],
      outcome: {
        outcome: 'limited',
        scope,
        ...(seconds && { seconds }),
        code: 'RESOURCE_EXHAUSTED',
      },
    })),
    ...([500, 502, 504] as const).map((status): ChatCase => ({
      it: `retries after ${status}: the message may have been sent`,
      answers: [{ status, body: '<html>' }],
      outcome: transient(true, String(status)),
    })),
    ...([302, 403, 404, 503] as const).map((status): ChatCase => ({
      it: `retries after ${status} from something other than Google`,
      answers: [{ status, headers: { location: 'https://example.com/' }, body: 'no' }],
      outcome: transient(false, String(status)),
    })),
    ...WITHOUT_ID,
    ...WITHOUT_ANSWER,

    {
      it: 'editing replaces the whole message',
      calls: 'edit',
      earlier: EARLIER,
      message: { text: '*new*', context: 'order-17' },
      sees: [
        {
          method: 'PATCH',
          path: `/${BEFORE}?updateMask=text,cardsV2&fields=name`,
          json: { text: '\\*new\\*', cardsV2: [] },
        },
      ],
      outcome: { outcome: 'sent', id: EARLIER.id },
    },
    ...(['edit', 'remove'] as const).map((calls): ChatCase => ({
      it: `sends no request to ${calls} a message with a malformed id`,
      calls,
      earlier: { id: `${SPACE}/messages/../x`, recipient: SPACE },
      sees: [],
      outcome: { outcome: 'permanent', blame: 'content' },
    })),
    {
      it: 'cannot edit a missing message',
      calls: 'edit',
      earlier: { id: `${SPACE}/messages/A.B`, recipient: SPACE },
      outcome: { outcome: 'permanent', blame: 'unsupported', code: 'NOT_FOUND' },
    },
    ...[BEFORE, `${SPACE}/messages/A.B`].map((id): ChatCase => ({
      it: `deletes ${id} whether or not it still exists`,
      calls: 'remove',
      earlier: { id, recipient: SPACE },
      sees: [{ method: 'DELETE', path: `/${id}`, text: '' }],
      outcome: { outcome: 'sent' },
    })),

    {
      it: 'check: accepts a valid token and sends nothing',
      calls: 'check',
      sees: [{ method: 'GET', path: '/spaces?pageSize=1&fields=nextPageToken' }],
      outcome: { outcome: 'known', as: 'a Google Chat app', account: null },
    },
    {
      it: 'check: names the account',
      calls: 'check',
      credentials: { token: KEY_FILE },
      outcome: { outcome: 'known', as: EMAIL },
    },
    {
      it: 'check: rejects an unknown token',
      calls: 'check',
      credentials: { token: 'fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: 'UNAUTHENTICATED' },
    },
  ],
});
