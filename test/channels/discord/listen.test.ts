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
const said = { text: 'Good morning!', mediaType: 'text/markdown' } as const;
const received: InboundEvent = {
  what: 'message',
  key: `message:${ID}`,
  ...who,
  id: `${CHANNEL}:${ID}`,
  at,
  ...said,
};
/** What one dispatch brings, after the session has begun. */
async function bring(dispatches: readonly (readonly [string, object])[]): Promise<InboundEvent[]> {
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

describe('discord, listening to what is written', { timeout: 20_000 }, () => {
  const cases: readonly (readonly [
    string,
    readonly (readonly [string, object])[],
    InboundEvent[],
  ])[] = [
    ['hears a text', [['MESSAGE_CREATE', message()]], [received]],
    [
      'hears a text between two',
      [['MESSAGE_CREATE', message({ guild_id: undefined })]],
      [
        {
          what: 'message',
          key: `message:${ID}`,
          from: who.from,
          answerTo: CHANNEL,
          id: `${CHANNEL}:${ID}`,
          at,
          ...said,
        },
      ],
    ],
    [
      'hears an answer, with the names of those who are mentioned',
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
      'hears files, and what was passed on',
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
      'hears an edit, and does not take a preview for one',
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
      'hears deletions',
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
      'hears who came',
      [['MESSAGE_CREATE', message({ type: 7, content: '' })]],
      [{ what: 'join', key: `join:${ID}`, ...who, at }],
    ],
    [
      'leaves out what it wrote itself, and that this is gone',
      [
        ['MESSAGE_CREATE', message({ author: { id: SELF, username: 'Example', bot: true } })],
        ['MESSAGE_DELETE', { id: ID, channel_id: CHANNEL, guild_id: '1' }],
      ],
      [...ignored('MESSAGE_CREATE', 'own'), ...ignored('MESSAGE_DELETE', 'own')],
    ],
    [
      'leaves out what it does not know',
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
    it(name, async () => assert.deepEqual(await bring(dispatches), inboundEvents));
  }

  it('hears which button was pressed, and answers, where no hook is told', async () => {
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
      assert.deepEqual(gateway.said[1], {
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
