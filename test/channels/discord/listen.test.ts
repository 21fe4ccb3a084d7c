import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type InboundEvent, ignored } from '../../../src/channels/inbound.ts';
import { CHANNELS } from '../../emulators/discord/api.ts';
import { SELF } from '../../emulators/discord/gateway.ts';
import { listening } from './listening.ts';

/* https://docs.discord.com/developers/events/gateway-events#messages */

const CHANNEL = CHANNELS.text;
const ID = '1100000000000000042';
const ada = { id: '53908232506183680', username: 'ada', global_name: 'Ada', bot: false };
const message = (more: object = {}) => ({
  id: ID,
  channel_id: CHANNEL,
  guild_id: '290926798626357999',
  type: 0,
  author: ada,
  content: 'Good morning!',
  timestamp: '2026-11-15T10:00:00.000000+00:00',
  edited_timestamp: null,
  attachments: [],
  mentions: [],
  ...more,
});
const at = Date.parse('2026-11-15T10:00:00Z');
const group = { id: CHANNEL };
const who = { from: { id: ada.id, name: 'Ada' }, answerTo: CHANNEL, group } as const;
const markdownText = { text: 'Good morning!', mediaType: 'text/markdown' } as const;
const received: InboundEvent = {
  what: 'message',
  key: `message:${ID}`,
  ...who,
  id: `${CHANNEL}:${ID}`,
  at,
  ...markdownText,
};
/** The inbound events of one dispatch, after the session is ready. */
async function dispatchAll(
  dispatches: readonly (readonly [string, object])[],
): Promise<InboundEvent[]> {
  const all: InboundEvent[] = [];
  await listening({}, async ({ gateway, listen }) => {
    const session = listen();
    await session.until(() => session.cursor() !== undefined);
    for (const [name, data] of dispatches) gateway.dispatch(name, data);
    gateway.dispatch('MESSAGE_CREATE', message({ id: '9', content: 'the last' }));
    await session.until(() =>
      session.inboundEvents.some(({ what }) => what === 'message' && isLast(session.inboundEvents)),
    );
    session.abort();
    await session.done;
    all.push(...session.inboundEvents.slice(0, -1));
  });
  return all;
}

const isLast = (inboundEvents: readonly InboundEvent[]) => {
  const last = inboundEvents.at(-1);
  return last !== undefined && 'key' in last && last.key === 'message:9';
};

describe('discord messages from the gateway', () => {
  const cases: readonly (readonly [
    string,
    readonly (readonly [string, object])[],
    InboundEvent[],
  ])[] = [
    ['receives a text', [['MESSAGE_CREATE', message()]], [received]],
    [
      'receives a direct message',
      [['MESSAGE_CREATE', message({ guild_id: undefined })]],
      [
        {
          what: 'message',
          key: `message:${ID}`,
          from: who.from,
          answerTo: CHANNEL,
          id: `${CHANNEL}:${ID}`,
          at,
          ...markdownText,
        },
      ],
    ],
    [
      'receives a reply with the names of mentioned users',
      [
        [
          'MESSAGE_CREATE',
          message({
            type: 19,
            content: '<@53908232506183680> and <@!53908232506183680>: yes.',
            mentions: [ada],
            message_reference: { type: 0, channel_id: CHANNEL, message_id: '7' },
          }),
        ],
      ],
      [{ ...received, text: '@Ada and @Ada: yes.', replyTo: `${CHANNEL}:7` }],
    ],
    [
      'receives files and forwarded messages',
      [
        [
          'MESSAGE_CREATE',
          message({
            content: '',
            message_reference: { type: 1, channel_id: '1', message_id: '7' },
            message_snapshots: [
              {
                message: {
                  content: 'The mill',
                  attachments: [
                    {
                      id: '3',
                      filename: 'mill.png',
                      content_type: 'image/png',
                      description: 'A mill',
                      url: 'https://cdn.discordapp.com/attachments/1/3/mill.png?ex=fake',
                    },
                  ],
                },
              },
            ],
          }),
        ],
      ],
      [
        {
          ...received,
          text: 'The mill',
          media: [
            {
              type: 'Image',
              reference: `${CHANNEL}:${ID}:3`,
              mediaType: 'image/png',
              name: 'mill.png',
              caption: 'A mill',
            },
          ],
        },
      ],
    ],
    [
      'receives an edit and ignores a link preview',
      [
        ['MESSAGE_UPDATE', message({ embeds: [{}] })],
        ['MESSAGE_UPDATE', message({ edited_timestamp: '2026-11-15T10:01:00.000000+00:00' })],
      ],
      [
        ...ignored('MESSAGE_UPDATE', 'no_change'),
        {
          ...received,
          what: 'edit',
          key: `edit:${ID}:2026-11-15T10:01:00.000000+00:00`,
          at: at + 60_000,
        },
      ],
    ],
    [
      'receives deletions',
      [
        ['MESSAGE_DELETE', { id: '5', channel_id: CHANNEL, guild_id: '1' }],
        ['MESSAGE_DELETE_BULK', { ids: ['6', '7'], channel_id: CHANNEL, guild_id: '1' }],
      ],
      ['5', '6', '7'].map((id) => ({
        what: 'deletion',
        key: `deletion:${id}`,
        from: { id: CHANNEL },
        answerTo: CHANNEL,
        group,
        id: `${CHANNEL}:${id}`,
      })),
    ],
    [
      'receives who joined',
      [['MESSAGE_CREATE', message({ type: 7, content: '' })]],
      [{ what: 'join', key: `join:${ID}`, ...who, at }],
    ],
    [
      'ignores its own messages and their deletion',
      [
        ['MESSAGE_CREATE', message({ author: { id: SELF, username: 'Example', bot: true } })],
        ['MESSAGE_DELETE', { id: ID, channel_id: CHANNEL, guild_id: '1' }],
      ],
      [...ignored('MESSAGE_CREATE', 'own'), ...ignored('MESSAGE_DELETE', 'own')],
    ],
    [
      'ignores unknown events',
      [
        ['TYPING_START', { channel_id: CHANNEL }],
        ['MESSAGE_CREATE', message({ type: 6, content: '' })],
        ['MESSAGE_CREATE', {}],
      ],
      [
        ...ignored('TYPING_START', 'no_event'),
        ...ignored('MESSAGE_CREATE.6', 'no_event'),
        ...ignored('MESSAGE_CREATE', 'incomplete'),
      ],
    ],
  ];
  for (const [name, dispatches, inboundEvents] of cases) {
    it(name, async () => assert.deepEqual(await dispatchAll(dispatches), inboundEvents));
  }

  it('receives and acknowledges a button press when no webhook is registered', async () => {
    await listening({}, async ({ gateway, listen }) => {
      const session = listen();
      await session.until(() => session.cursor() !== undefined);
      gateway.dispatch('INTERACTION_CREATE', {
        id: '175928847299117063',
        type: 3,
        token: 'fake-token-of-an-interaction',
        channel_id: CHANNEL,
        user: ada,
        data: { component_type: 2, custom_id: '1:Yes' },
        message: { id: '7' },
      });
      await gateway.received(2);
      assert.deepEqual(gateway.receivedItems[1], {
        what: 'answer',
        path: '/interactions/175928847299117063/fake-token-of-an-interaction/callback',
        json: { type: 6 },
      });
      session.abort();
      const { concealed } = await session.done;
      assert.deepEqual(concealed, ['fake-token-of-an-interaction']);
      assert.partialDeepStrictEqual(session.inboundEvents, [
        { button: { name: 'Yes', value: 'Yes' } },
      ]);
    });
  });
});
