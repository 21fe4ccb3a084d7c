import { xml } from '@xmpp/client';

import { OwnMessageIds, readDispatch } from '../../src/channels/discord/messages.ts';
import { IrcReader } from '../../src/channels/irc/inbound.ts';
import { parseIrcLine } from '../../src/channels/irc/line.ts';
import { readEvent } from '../../src/channels/matrix/events.ts';
import { readSignal } from '../../src/channels/signal/envelope.ts';
import { messageEvents } from '../../src/channels/webex/hook.ts';
import { readWhatsApp } from '../../src/channels/whatsapp/events.ts';
import { XmppReader } from '../../src/channels/xmpp/inbound.ts';
import { FIRST, PERSON, ROOM } from '../emulators/webex.ts';
import { PRESSES } from './rooms/presses.ts';
import type { RoomEvent } from './rooms/room-event.ts';

const DATE = 1_794_700_800;
const GROUP = { id: -1_001_234_567_890, type: 'supergroup', title: 'Engines' };
const TELEGRAM_ADA = { id: 123_456_789, is_bot: false, first_name: 'Ada' };
const telegram = { room: '-1001234567890', person: '123456789' };
const ADA = { id: '53908232506183680', username: 'ada', global_name: 'Ada' };
const discord = { room: '41771983423143937', person: ADA.id };
const SPACE = { name: 'spaces/AAAAqWB1Abc', type: 'ROOM', spaceType: 'SPACE' };
const GOOGLE_ADA = { name: 'users/123', displayName: 'Ada', type: 'HUMAN' };
const googleChat = { room: SPACE.name, person: GOOGLE_ADA.name };
const slack = { room: 'C0123456789', person: 'U0123456789' };
const line = { room: `C${'0'.repeat(32)}`, person: `U${'1'.repeat(32)}` };
const matrixRoom = { room: '!room:example.org', person: '@ada:example.org' };
const irc = { room: '#engines', person: 'ada' };
const xmppRoom = { room: 'engines@rooms.example.org', person: 'engines@rooms.example.org/ada' };

const inMatrix = (event: object) => [
  readEvent(
    { event_id: '$event', sender: matrixRoom.person, origin_server_ts: DATE * 1000, ...event },
    { room: matrixRoom.room, self: '@bot:example.org', names: new Map(), direct: 'no' },
  ),
];
const inIrc = (text: string) => new IrcReader().readLine(parseIrcLine(text), 'bot');
const inXmpp = (...children: Parameters<typeof xml>) => {
  const reader = new XmppReader({
    self: 'bot@example.org',
    isRoom: () => true,
    isSelf: () => false,
  });
  const stanza = xml(
    'message',
    { type: 'groupchat', from: xmppRoom.person, id: '1' },
    xml(...children),
  );
  return [reader.readStanza(stanza)?.inboundEvent];
};
const slackEvent = (event: object) => ({
  type: 'event_callback',
  event_id: 'Ev1',
  api_app_id: 'A1',
  event: { channel: slack.room, user: slack.person, ts: '1503435956.000247', ...event },
});

/** An event in a shared room of each channel that has rooms. */
export const ROOM_EVENTS: readonly RoomEvent[] = [
  ...PRESSES,
  [
    'telegram',
    'a message',
    {
      ...telegram,
      webhook: {
        update_id: 1,
        message: { message_id: 7, date: DATE, from: TELEGRAM_ADA, chat: GROUP, text: 'Hi' },
      },
    },
  ],
  ['slack', 'a message', { ...slack, webhook: slackEvent({ type: 'message', text: 'Hi' }) }],
  ['slack', 'a join', { ...slack, webhook: slackEvent({ type: 'member_joined_channel' }) }],
  [
    'webex',
    'a message',
    {
      room: ROOM,
      person: PERSON,
      received: () =>
        messageEvents('message', {
          id: FIRST,
          roomId: ROOM,
          roomType: 'group',
          personId: PERSON,
          text: 'Hi',
        }),
    },
  ],
  [
    'line',
    'a message',
    {
      ...line,
      webhook: {
        events: [
          {
            type: 'message',
            webhookEventId: 'e1',
            timestamp: DATE * 1000,
            source: { type: 'group', groupId: line.room, userId: line.person },
            message: { type: 'text', id: '1', text: 'Hi' },
          },
        ],
      },
    },
  ],
  [
    'zulip',
    'a message',
    {
      room: 'core team/ideas',
      person: '10',
      webhook: {
        data: 'Hi',
        message: {
          id: 1,
          sender_id: 10,
          type: 'stream',
          display_recipient: 'core team',
          subject: 'ideas',
        },
      },
    },
  ],
  [
    'rocketchat',
    'a message',
    {
      room: 'GENERAL',
      person: '@ada',
      webhook: {
        channel_id: 'GENERAL',
        channel_name: 'general',
        message_id: 'm1',
        user_id: 'u1',
        user_name: 'ada',
        text: 'Hi',
      },
    },
  ],
  [
    'mattermost',
    'a message',
    {
      room: '4xp9fdt77pncbef59f4k1qe83o',
      person: 'user7aaaaaaaaaaaaaaaaaaaaa',
      webhook: {
        channel_id: '4xp9fdt77pncbef59f4k1qe83o',
        user_id: 'user7aaaaaaaaaaaaaaaaaaaaa',
        post_id: 'post0001aaaaaaaaaaaaaaaaaa',
        text: 'Hi',
      },
    },
  ],
  [
    'nextcloud-talk',
    'a message',
    {
      room: 'n3xtc10ud',
      person: 'users/ada',
      webhook: {
        type: 'Create',
        actor: { type: 'Person', id: 'users/ada', name: 'Ada' },
        object: { type: 'Note', id: '1567', name: 'message', content: '{"message":"Hi"}' },
        target: { type: 'Collection', id: 'n3xtc10ud', name: 'Engines' },
      },
    },
  ],
  [
    'groupme',
    'a message',
    {
      room: '1234567890',
      person: '12345',
      webhook: {
        group_id: '1234567890',
        id: '1',
        name: 'Ada',
        sender_id: '12345',
        sender_type: 'user',
        user_id: '12345',
        system: false,
        created_at: DATE,
        attachments: [],
        text: 'Hi',
      },
    },
  ],
  [
    'google-chat',
    'a message',
    {
      ...googleChat,
      webhook: {
        type: 'MESSAGE',
        eventTime: '2026-11-15T10:00:00Z',
        user: GOOGLE_ADA,
        space: SPACE,
        message: {
          name: `${SPACE.name}/messages/a.b`,
          sender: GOOGLE_ADA,
          space: SPACE,
          text: 'Hi',
        },
      },
    },
  ],
  [
    'ms-teams',
    'a channel message, answered in its thread',
    {
      room: '19:engines@thread.tacv2;messageid=1700000000000',
      person: '29:ada',
      webhook: {
        type: 'message',
        id: '1',
        timestamp: '2026-11-15T10:00:00Z',
        serviceUrl: 'https://smba.trafficmanager.net/emea/',
        from: { id: '29:ada', name: 'Ada' },
        recipient: { id: '28:bot' },
        conversation: {
          id: '19:engines@thread.tacv2;messageid=1700000000000',
          isGroup: true,
          conversationType: 'channel',
        },
        text: 'Hi',
      },
    },
  ],
  [
    'discord',
    'a message',
    {
      ...discord,
      received: () => {
        const guild = { channel_id: discord.room, guild_id: '290926798626357999' };
        const message = { id: '1100000000000000007', type: 0, content: 'Hi', author: ADA };
        return readDispatch('MESSAGE_CREATE', { ...guild, ...message }, '1', new OwnMessageIds());
      },
    },
  ],
  [
    'webhook',
    'a message',
    {
      room: 'team-7',
      person: 'ada',
      webhook: {
        type: 'Create',
        actor: { type: 'Person', id: 'ada' },
        target: { type: 'Group', id: 'team-7' },
        object: { type: 'Note', content: 'Hi' },
      },
    },
  ],
  [
    'matrix',
    'a message',
    {
      ...matrixRoom,
      received: () =>
        inMatrix({ type: 'm.room.message', content: { msgtype: 'm.text', body: 'Hi' } }),
    },
  ],
  [
    'matrix',
    'a deletion',
    { ...matrixRoom, received: () => inMatrix({ type: 'm.room.redaction', redacts: '$gone' }) },
  ],
  ['irc', 'a message', { ...irc, received: () => inIrc(':ada!a@host PRIVMSG #engines :Hi') }],
  ['irc', 'a join', { ...irc, received: () => inIrc(':ada!a@host JOIN #engines') }],
  [
    'signal',
    'a message',
    {
      room: 'group:exampleGroupIdOfSignalAAAAAAAAAAAAAAAAAAAAA=',
      person: '+4915112345678',
      received: () =>
        readSignal(
          {
            envelope: {
              sourceNumber: '+4915112345678',
              timestamp: DATE * 1000,
              dataMessage: {
                timestamp: DATE * 1000,
                message: 'Hi',
                groupInfo: { groupId: 'exampleGroupIdOfSignalAAAAAAAAAAAAAAAAAAAAA=' },
              },
            },
          },
          '+15550100',
        ),
    },
  ],
  [
    'whatsapp',
    'a message',
    {
      room: 'Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAzNjM0MDQ2OTQyMzM4MjAZD',
      person: '16505551234',
      received: () => {
        const message = {
          from: '16505551234',
          group_id: 'Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAzNjM0MDQ2OTQyMzM4MjAZD',
          id: 'wamid.1',
          timestamp: String(DATE),
          type: 'text',
          text: { body: 'Hi' },
        };
        const value = { metadata: { phone_number_id: '9' }, messages: [message] };
        const entry = [{ changes: [{ field: 'messages', value }] }];
        return readWhatsApp({ object: 'whatsapp_business_account', entry }, '9') ?? [];
      },
    },
  ],
  ['xmpp', 'a message', { ...xmppRoom, received: () => inXmpp('body', {}, 'Hi') }],
];

/** The other channels have direct conversations only. */
export const WITH_ROOMS = [
  'discord',
  'google-chat',
  'groupme',
  'irc',
  'line',
  'matrix',
  'mattermost',
  'ms-teams',
  'nextcloud-talk',
  'rocketchat',
  'signal',
  'slack',
  'telegram',
  'webex',
  'webhook',
  'whatsapp',
  'xmpp',
  'zulip',
];
