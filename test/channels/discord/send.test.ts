import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { discord } from '../../../src/channels/discord/channel.ts';
import { VERSION } from '../../../src/lib/runtime/version.ts';
import {
  CHANNELS,
  EARLIER as MESSAGE,
  TOKEN,
  discordError,
  openDiscord,
  rateLimited,
} from '../../emulators/discord/api.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { WITHOUT_ANSWER, WITHOUT_ID, transient } from '../faults.ts';
import { type Case, openContext, outgoing, resultOf, testChannel } from '../suite.ts';
import { assertListed, linkButton } from '../unsupported.ts';
import { OPTION_CASES } from './options.ts';
import { texts } from './texts.ts';
import { UPLOADS } from './uploads.ts';

type DiscordCase = Case<Request, Reply | ConnectionFault>;

const CHANNEL = CHANNELS.text;
const PATH = `/channels/${CHANNEL}/messages`;
const SENT = { outcome: 'sent', id: `${CHANNEL}:1200000000000000001` } as const;
const USER_AGENT = `DiscordBot (https://switchboard.invalid, ${VERSION})`;
const EARLIER = { id: `${CHANNEL}:${MESSAGE}`, recipient: CHANNEL };

/** Status, code and blame. */
const REFUSALS: readonly (readonly [
  number,
  number,
  'credentials' | 'recipient' | 'content' | 'unsupported',
])[] = [
  [401, 50014, 'credentials'],
  [403, 40001, 'credentials'],
  [403, 40002, 'credentials'],
  [403, 50007, 'recipient'],
  [403, 50278, 'recipient'],
  [400, 50083, 'recipient'],
  [403, 160005, 'recipient'],
  [403, 99999, 'recipient'],
  [400, 50006, 'content'],
  [413, 40005, 'content'],
  [403, 20009, 'content'],
  [400, 99999, 'content'],
];

const refusals = REFUSALS.map(([status, code, blame]): DiscordCase => ({
  it: `blames the ${blame} for ${status} ${code}`,
  answers: [discordError(status, code, 'No')],
  outcome: { outcome: 'permanent', blame, code: String(code), detail: 'No' },
}));

const media = (type: string, mediaType: string, more = {}) => ({
  object: { type, url: 'https://example.com/a', mediaType, name: 'a', content: 'A *cat*', ...more },
});

testChannel(discord, {
  open: openDiscord,
  credentials: { token: TOKEN, consumer_key: '198622483471925248' },
  recipient: CHANNEL,
  cases: [
    ...OPTION_CASES,
    ...texts,
    {
      it: 'authenticates and sends an idempotency key',
      sees: [
        {
          headers: { authorization: `Bot ${TOKEN}`, 'content-type': 'application/json' },
          json: { enforce_nonce: true },
        },
      ],
      outcome: SENT,
    },
    {
      it: 'sends a text over the limit as two messages',
      message: { text: `${'x'.repeat(1999)} ${'y'.repeat(10)}` },
      sees: [{ json: { content: 'x'.repeat(1999) } }, { json: { content: 'y'.repeat(10) } }],
      outcome: { outcome: 'sent', id: `${CHANNEL}:1200000000000000002` },
    },
    {
      it: 'sends formatted text in its markup',
      message: {
        text: '**bold** *italic* ~~gone~~ `a*b` [a_link](https://example.com/a_b) 2*3\n\n```\nx = *y\n```',
        object: { mediaType: 'text/markdown' },
      },
      sees: [
        {
          json: {
            content:
              '**bold** *italic* ~~gone~~ `a*b` [a\\_link](<https://example.com/a_b>) 2\\*3\n\n```\nx = *y\n```\n',
          },
        },
      ],
      outcome: SENT,
    },

    {
      it: 'sends an image by its address',
      message: media('Image', 'image/png'),
      sees: [
        { json: { content: 'A \\*cat\\*', embeds: [{ image: { url: 'https://example.com/a' } }] } },
      ],
      outcome: SENT,
    },
    {
      it: 'sends a video by its address',
      message: media('Video', 'video/mp4'),
      sees: [
        {
          json: {
            flags: 32_768,
            components: [
              { type: 10, content: 'A \\*cat\\*' },
              { type: 12, items: [{ media: { url: 'https://example.com/a' }, description: 'a' }] },
            ],
          },
        },
      ],
      outcome: SENT,
    },
    {
      it: 'sends a video without a caption',
      message: media('Video', 'video/mp4', { content: '', name: '' }),
      sees: [{ json: { components: [{ type: 12 }] } }],
      outcome: SENT,
    },
    ...UPLOADS,
    {
      it: 'sends buttons, five in a row',
      message: {
        object: {
          attachment: [
            ...Array.from({ length: 5 }, () => ({ type: 'Button', name: 'Yes' })),
            { type: 'Button', name: 'More', url: 'https://example.com/' },
          ],
        },
      },
      sees: [
        {
          json: {
            components: [
              { type: 1, components: [{ type: 2, style: 2, label: 'Yes', custom_id: '1:Yes' }] },
              {
                type: 1,
                components: [{ type: 2, style: 5, label: 'More', url: 'https://example.com/' }],
              },
            ],
          },
        },
      ],
      outcome: SENT,
    },
    ...[512, 513].map((length): DiscordCase => {
      const message = { text: 'Go', object: { attachment: [linkButton(length)] } };
      const url = linkButton(length).url;
      const isFit = length === 512;
      return {
        it: `sends a button with an address of ${length} characters${isFit ? '' : ' as a list'}`,
        message,
        sees: [
          {
            json: isFit
              ? { content: 'Go', components: [{ type: 1, components: [{ type: 2, url }] }] }
              : { content: `Go\n1\\. Far: ${url}` },
          },
        ],
        outcome: SENT,
        also: () => void (isFit || assertListed(discord, message, 'at most 512')),
      };
    }),
    {
      it: 'sends buttons below a video',
      message: media('Video', 'video/mp4', { attachment: [{ type: 'Button', name: 'Yes' }] }),
      sees: [{ json: { components: [{ type: 10 }, { type: 12 }, { type: 1 }] } }],
      outcome: SENT,
    },
    ...[MESSAGE, EARLIER.id].map((inReplyTo): DiscordCase => ({
      it: `replies to the message ${inReplyTo}`,
      message: { object: { inReplyTo } },
      sees: [{ json: { message_reference: { message_id: MESSAGE, fail_if_not_exists: false } } }],
      outcome: SENT,
    })),
    ...[CHANNELS.thread, `${CHANNEL}:${CHANNELS.thread}`].map((context): DiscordCase => ({
      it: `sends to the thread ${context}`,
      message: { context },
      sees: [{ path: `/channels/${CHANNELS.thread}/messages` }],
      outcome: { outcome: 'sent', id: `${CHANNELS.thread}:1200000000000000001` },
    })),
    ...['../../users/@me', 'x', ''].map((context): DiscordCase => ({
      it: `ignores the malformed thread or message id ${JSON.stringify(context)}`,
      message: { context: `1:${context}`, object: { inReplyTo: `1:${context}` } },
      sees: [{ path: `/channels/${CHANNEL}/messages` }],
      outcome: SENT,
      also: ([seen]) => assert.doesNotMatch(seen?.text ?? '', /message_reference/),
    })),

    ...refusals,
    ...(
      [
        ['text', CHANNELS.forum, '40058'],
        ['access', CHANNELS.foreign, '50001'],
        ['permission', CHANNELS.readOnly, '50013'],
        ['channel', '1', '10003'],
      ] as const
    ).map(([what, recipient, code]): DiscordCase => ({
      it: `blames the recipient when the ${what} does not exist`,
      message: { recipient },
      outcome: { outcome: 'permanent', blame: 'recipient', code },
    })),
    {
      it: 'blames the recipient for a malformed id',
      answers: [
        discordError(400, 50035, 'Invalid Form Body', {
          errors: { channel_id: { _errors: [{ code: 'X', message: 'Not a snowflake.' }] } },
        }),
      ],
      outcome: { outcome: 'permanent', blame: 'recipient', code: '50035' },
    },
    {
      it: 'blames the content when the text is empty',
      message: { text: ' \n ' },
      outcome: { outcome: 'permanent', blame: 'content', code: '50006' },
    },
    {
      it: 'names the invalid field',
      answers: [
        discordError(400, 50035, 'Invalid Form Body', {
          errors: { embeds: { 0: { url: { _errors: [{ code: 'X', message: 'Not a URL.' }] } } } },
        }),
      ],
      outcome: {
        outcome: 'permanent',
        blame: 'content',
        code: '50035',
        detail: 'Invalid Form Body; embeds.0.url: Not a URL.',
      },
    },
    {
      it: 'blames the credentials when the token is wrong',
      credentials: { token: 'fake.token.revoked' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '401', detail: 'Unauthorized' },
    },
    ...['', 'fake token', 'fake\r\nx: y', 'fake\u0000', 'fäke'].map((token): DiscordCase => ({
      it: `sends no request with the malformed token ${JSON.stringify(token)}`,
      credentials: { token },
      sees: [],
      outcome: { outcome: 'permanent', blame: 'credentials' },
    })),

    {
      it: 'rate limited: waits with the channel as long as the response says',
      answers: [rateLimited(64.57)],
      outcome: { outcome: 'limited', scope: 'recipient', seconds: 65, code: '429' },
    },
    {
      it: 'rate limited: waits with all channels after a global limit',
      answers: [rateLimited(0.3, true)],
      outcome: { outcome: 'limited', scope: 'integration', seconds: 1, code: '429' },
    },
    {
      it: 'rate limited: waits when the response is not JSON',
      answers: [{ status: 429, headers: { 'retry-after': '30' }, body: 'error code: 1015' }],
      outcome: { outcome: 'limited', scope: 'integration', seconds: 30, code: '429' },
    },
    {
      it: 'rate limited: waits in a channel with slow mode',
      answers: [discordError(429, 20_016, 'Slow', { global: false, retry_after: 5 })],
      outcome: { outcome: 'limited', scope: 'recipient', seconds: 5, code: '20016' },
    },
    ...([40_004, 130_000] as const).map((code): DiscordCase => ({
      it: `retries after ${code}: nothing was done`,
      answers: [discordError(code === 40_004 ? 403 : 503, code, 'Later')],
      outcome: transient(false, String(code)),
    })),
    ...([500, 502, 504] as const).map((status): DiscordCase => ({
      it: `retries after ${status}: the message may have been sent`,
      answers: [{ status, body: '<html>' }],
      outcome: transient(true, String(status)),
    })),
    ...([302, 403, 404, 503] as const).map((status): DiscordCase => ({
      it: `retries after ${status} from something other than Discord`,
      answers: [{ status, headers: { location: 'https://example.com/' }, body: 'no' }],
      outcome: transient(false, String(status)),
    })),
    ...WITHOUT_ID,
    ...WITHOUT_ANSWER,

    {
      it: 'editing replaces the whole message',
      calls: 'edit',
      earlier: EARLIER,
      message: { text: '*new*', object: { inReplyTo: '7' } },
      sees: [
        {
          method: 'PATCH',
          path: `${PATH}/${MESSAGE}`,
          json: { content: '\\*new\\*', embeds: [], components: [] },
        },
      ],
      outcome: { outcome: 'sent', id: EARLIER.id },
    },
    {
      it: 'replaces a text with a video',
      calls: 'edit',
      earlier: EARLIER,
      message: media('Video', 'video/mp4'),
      sees: [{ method: 'PATCH', json: { content: null, flags: 32_768 } }],
      outcome: { outcome: 'sent', id: EARLIER.id },
    },
    {
      it: 'cannot edit a missing message',
      calls: 'edit',
      earlier: { id: '9', recipient: CHANNEL },
      sees: [{ path: `${PATH}/9` }],
      outcome: { outcome: 'permanent', blame: 'unsupported', code: '10008' },
    },
    {
      it: 'cannot edit a message by another author',
      calls: 'edit',
      earlier: { id: `${CHANNEL}:1100000000000000008`, recipient: CHANNEL },
      outcome: { outcome: 'permanent', blame: 'unsupported', code: '50005' },
    },
    {
      it: 'deletes a message',
      calls: 'remove',
      earlier: EARLIER,
      sees: [{ method: 'DELETE', path: `${PATH}/${MESSAGE}`, text: '' }],
      outcome: { outcome: 'sent' },
    },
    {
      it: 'treats deleting a missing message as done',
      calls: 'remove',
      earlier: { id: `${CHANNEL}:9`, recipient: CHANNEL },
      outcome: { outcome: 'sent' },
    },
    {
      it: 'sends no request to delete a malformed id',
      calls: 'remove',
      earlier: { id: `${CHANNEL}:../${MESSAGE}`, recipient: CHANNEL },
      sees: [],
      outcome: { outcome: 'permanent', blame: 'content' },
    },

    {
      it: 'check: names the token’s owner and sends nothing',
      calls: 'check',
      sees: [{ method: 'GET', path: '/users/@me', headers: { 'user-agent': USER_AGENT } }],
      outcome: { outcome: 'known', as: 'Example' },
    },
    {
      it: 'check: rejects an unknown token',
      calls: 'check',
      credentials: { token: 'fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '401' },
    },
  ],
});

describe('discord', () => {
  it('sends a message part once however often it is retried', async () => {
    const peer = await openDiscord();
    await using context = openContext({ credentials: { token: TOKEN }, url: peer.url });
    const send = async (key: string) =>
      resultOf(discord, 'send', outgoing({ recipient: CHANNEL, key }), undefined, context);
    assert.deepEqual(await send('1'), await send('1'));
    assert.notDeepEqual(await send('1'), await send('2'));
    await peer.close();
  });

  it('accepts only channel ids as recipients', () => {
    for (const id of ['1', '18446744073709551615']) {
      assert.equal(discord.recipient.validate(id), undefined);
    }
    for (const id of ['', '0', '-1', '1.5', '../1', '<#1>', '#general', '1'.repeat(21)]) {
      assert.match(discord.recipient.validate(id) ?? '', /all digits/);
    }
  });
});
