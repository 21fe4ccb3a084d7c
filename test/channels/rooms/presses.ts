import { readSlackRequest } from '../../../src/channels/slack/events.ts';
import type { RoomEvent } from './room-event.ts';

/* Button presses in a shared room. */

const DATE = 1_794_700_800;
const TELEGRAM_ADA = { id: 123_456_789, is_bot: false, first_name: 'Ada' };
const TELEGRAM_GROUP = { id: -1_001_234_567_890, type: 'supergroup', title: 'Engines' };
const ADA = { id: '53908232506183680', username: 'ada', global_name: 'Ada' };
const discord = { room: '41771983423143937', person: ADA.id };
const SPACE = { name: 'spaces/AAAAqWB1Abc', type: 'ROOM', spaceType: 'SPACE' };
const GOOGLE_ADA = { name: 'users/123', displayName: 'Ada', type: 'HUMAN' };
const slack = { room: 'C0123456789', person: 'U0123456789' };
const line = { room: `C${'0'.repeat(32)}`, person: `U${'1'.repeat(32)}` };

export const PRESSES: readonly RoomEvent[] = [
  [
    'telegram',
    'a button press',
    {
      room: '-1001234567890',
      person: '123456789',
      webhook: {
        update_id: 1,
        callback_query: {
          id: '4',
          from: TELEGRAM_ADA,
          data: 'yes',
          message: { message_id: 6, date: DATE, chat: TELEGRAM_GROUP },
        },
      },
    },
  ],
  [
    'slack',
    'a button press',
    {
      ...slack,
      received: () => {
        const payload = {
          type: 'block_actions',
          user: { id: slack.person },
          channel: { id: slack.room },
          container: { message_ts: '1503435956.000247' },
          actions: [{ type: 'button', action_id: '0', text: { text: 'Yes' }, value: 'yes' }],
        };
        const form = new URLSearchParams({ payload: JSON.stringify(payload) });
        const header = () => 'application/x-www-form-urlencoded';
        return readSlackRequest({ header, body: Buffer.from(form.toString()) }) ?? [];
      },
    },
  ],
  [
    'line',
    'a button press',
    {
      ...line,
      webhook: {
        events: [
          {
            type: 'postback',
            webhookEventId: 'e1',
            timestamp: DATE * 1000,
            source: { type: 'group', groupId: line.room, userId: line.person },
            postback: { data: 'yes' },
          },
        ],
      },
    },
  ],
  [
    'google-chat',
    'a button press',
    {
      room: SPACE.name,
      person: GOOGLE_ADA.name,
      webhook: {
        type: 'CARD_CLICKED',
        eventTime: '2026-11-15T10:00:00Z',
        user: GOOGLE_ADA,
        space: SPACE,
        message: { name: `${SPACE.name}/messages/a.b`, sender: { type: 'BOT' }, space: SPACE },
        common: { invokedFunction: 'reply', parameters: { name: 'Yes' } },
      },
    },
  ],
  [
    'ms-teams',
    'a button press',
    {
      room: '19:engines@thread.v2',
      person: '29:ada',
      webhook: {
        type: 'message',
        id: '1',
        timestamp: '2026-11-15T10:00:00Z',
        serviceUrl: 'https://smba.trafficmanager.net/emea/',
        from: { id: '29:ada', name: 'Ada' },
        recipient: { id: '28:bot' },
        conversation: { id: '19:engines@thread.v2', conversationType: 'groupChat' },
        value: { value: 'yes' },
      },
    },
  ],
  [
    'discord',
    'a button press',
    {
      ...discord,
      webhook: {
        id: '175928847299117063',
        type: 3,
        token: 'fake-token',
        channel_id: discord.room,
        guild_id: '290926798626357999',
        member: { user: ADA },
        data: { component_type: 2, custom_id: 'yes' },
        message: { id: '1100000000000000007', channel_id: discord.room, components: [] },
      },
    },
  ],
];
