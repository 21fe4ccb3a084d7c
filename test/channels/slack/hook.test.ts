import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';

import { ignored } from '../../../src/channels/inbound.ts';
import { slack } from '../../../src/channels/slack/channel.ts';
import { faultOfSlackRequest } from '../../../src/channels/slack/events.ts';
import { CLIENT, EXPIRED, REFRESH, TOKEN, openSlack, renewed } from '../../emulators/slack/api.ts';
import { SHARED } from '../../emulators/slack/files.ts';
import { find } from '../hook-setup.ts';
import { type HookCase, type TestCall, testHook } from '../hooks.ts';
import { assertOutcome } from '../suite.ts';

/* https://docs.slack.dev/apis/events-api */

const CHANNEL = 'C0123456789';
const TS = '1503435956.000247';
const AT = 1_503_435_956_000;
const [ada, group] = [{ id: 'U0123456789' }, { id: CHANNEL }];
const received = {
  what: 'message',
  key: `message:${CHANNEL}:${TS}`,
  from: ada,
  group,
  id: `${CHANNEL}:${TS}`,
  at: AT,
} as const;

const event = (of: object, more: object = {}) => ({
  body: {
    token: 'fake-verification-token',
    team_id: 'T1',
    api_app_id: 'A1',
    event: of,
    type: 'event_callback',
    event_id: 'Ev9UQ52YNA',
    event_time: 1_503_435_956,
    authorizations: [{ team_id: 'T1', user_id: 'U1', is_bot: true }],
    ...more,
  },
});
const message = (more: object) =>
  event({
    type: 'message',
    channel: CHANNEL,
    user: ada.id,
    ts: TS,
    channel_type: 'channel',
    ...more,
  });
const form = (fields: Record<string, string>): TestCall => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
});
const interaction = (payload: object) => form({ payload: JSON.stringify(payload) });
const action = (more: object) =>
  interaction({
    type: 'block_actions',
    user: { id: ada.id, username: 'ada', name: 'ada', team_id: 'T1' },
    api_app_id: 'A1',
    trigger_id: '1.2.fake',
    response_url: 'https://hooks.slack.com/actions/fake',
    container: { type: 'message', message_ts: TS, channel_id: CHANNEL },
    channel: { id: CHANNEL, name: 'general' },
    message: { type: 'message', ts: TS, text: 'Well?' },
    ...more,
  });
const button = (more: object) => ({
  type: 'button',
  action_id: 'button-1',
  block_id: 'b1',
  text: { type: 'plain_text', text: 'Oh yes', emoji: false },
  action_ts: '1503435957.500000',
  ...more,
});
const buttonPress = {
  what: 'message',
  key: `action:${CHANNEL}:${TS}:${ada.id}:button-1:1503435957.500000`,
  from: { ...ada, name: 'ada' },
  group,
  at: AT + 1500,
  replyTo: `${CHANNEL}:${TS}`,
} as const;

const changed = (now: object, before: object) =>
  event({
    type: 'message',
    subtype: 'message_changed',
    hidden: true,
    channel: CHANNEL,
    ts: '1503435999.000001',
    event_ts: '1503435999.000001',
    message: { type: 'message', user: ada.id, ts: TS, ...now },
    previous_message: { type: 'message', user: ada.id, ts: TS, ...before },
  });

const cases: HookCase[] = [
  {
    it: 'answers the verification challenge',
    call: { body: { token: 'fake', challenge: '3eZbrw1aBm2rZgRNFdxV', type: 'url_verification' } },
    inboundEvents: [],
    answer: { text: '3eZbrw1aBm2rZgRNFdxV' },
  },
  {
    it: 'receives a text as people read it',
    call: message({
      text: 'See <https://example.com/a?b&amp;c|the mill>, <https://example.com>, <@U2|mary>, <#C3|general>, <!here>: 1 &lt; 2 &amp; 3',
    }),
    inboundEvents: [
      {
        ...received,
        text: 'See the mill (https://example.com/a?b&c), https://example.com, @mary, #general, @here: 1 < 2 & 3',
      },
    ],
  },
  {
    it: 'receives a direct message without a group',
    call: event({
      type: 'message',
      channel: 'D0123456789',
      user: ada.id,
      ts: TS,
      channel_type: 'im',
      text: 'Hi',
      user_profile: { display_name: '', real_name: 'Ada Lovelace' },
    }),
    inboundEvents: [
      {
        what: 'message',
        key: `message:D0123456789:${TS}`,
        from: { ...ada, name: 'Ada Lovelace' },
        id: `D0123456789:${TS}`,
        at: AT,
        text: 'Hi',
      },
    ],
  },
  {
    it: 'receives a mention with the same key as its message',
    call: event({ type: 'app_mention', channel: CHANNEL, user: ada.id, ts: TS, text: '<@U1> hi' }),
    inboundEvents: [{ ...received, text: '@U1 hi' }],
  },
  {
    it: 'receives a reply in its thread',
    call: message({ text: 'Yes.', thread_ts: '1503435900.000001', parent_user_id: 'U1' }),
    inboundEvents: [
      {
        ...received,
        text: 'Yes.',
        replyTo: `${CHANNEL}:1503435900.000001`,
        thread: `${CHANNEL}:1503435900.000001`,
      },
    ],
  },
  {
    it: 'does not treat the first message of a thread as a reply',
    call: message({ text: 'Yes.', thread_ts: TS }),
    inboundEvents: [{ ...received, text: 'Yes.' }],
  },
  {
    it: 'receives files without deleted ones',
    call: message({
      subtype: 'file_share',
      text: 'The mill',
      files: [
        { id: 'F0SHARED', name: 'mill.png', mimetype: 'image/png', mode: 'hosted' },
        { id: 'F0TEXT', name: 'mill.txt', mimetype: 'text/plain', mode: 'snippet' },
        { id: 'F0GONE', mode: 'tombstone' },
      ],
    }),
    inboundEvents: [
      {
        ...received,
        text: 'The mill',
        media: [
          { type: 'Image', reference: 'F0SHARED', mediaType: 'image/png', name: 'mill.png' },
          { type: 'Document', reference: 'F0TEXT', mediaType: 'text/plain', name: 'mill.txt' },
        ],
      },
    ],
  },
  ...['1503435960.000000', '1503435970.000000'].map((ts): HookCase => ({
    it: `receives each edit once: ${ts}`,
    call: changed(
      { text: 'Good evening', edited: { user: ada.id, ts } },
      { text: 'Good morning', edited: { user: ada.id, ts: '1503435950.000000' } },
    ),
    inboundEvents: [
      {
        ...received,
        what: 'edit',
        key: `edit:${CHANNEL}:${TS}:${ts}`,
        at: Number(ts) * 1000,
        text: 'Good evening',
      },
    ],
  })),
  {
    it: 'ignores message changes that are not edits',
    call: changed({ text: 'Good morning', attachments: [{}] }, { text: 'Good morning' }),
    inboundEvents: ignored('message.message_changed', 'no_change'),
  },
  {
    it: 'receives a deletion',
    call: event({
      type: 'message',
      subtype: 'message_deleted',
      channel: CHANNEL,
      ts: '1503435999.000001',
      event_ts: '1503435999.000001',
      deleted_ts: TS,
      previous_message: { type: 'message', user: ada.id, ts: TS, text: 'Good morning' },
    }),
    inboundEvents: [
      {
        what: 'deletion',
        key: `deletion:${CHANNEL}:${TS}`,
        from: ada,
        group,
        id: `${CHANNEL}:${TS}`,
        at: 1_503_435_999_000,
      },
    ],
  },
  {
    it: "receives the deletion of a thread's first message",
    call: changed({ subtype: 'tombstone', text: 'This message was deleted.' }, { text: 'Hi' }),
    inboundEvents: [
      {
        what: 'deletion',
        key: `deletion:${CHANNEL}:${TS}`,
        from: ada,
        group,
        id: `${CHANNEL}:${TS}`,
        at: 1_503_435_999_000,
      },
    ],
  },
  ...(['join', 'leave'] as const).map((what): HookCase => ({
    it: `receives that a user ${what}s`,
    call: event({
      type: what === 'join' ? 'member_joined_channel' : 'member_left_channel',
      user: ada.id,
      channel: CHANNEL,
      channel_type: 'C',
      team: 'T1',
      event_ts: TS,
    }),
    inboundEvents: [{ what, key: 'Ev9UQ52YNA', from: ada, group, at: AT }],
  })),
  {
    it: 'receives a button press',
    call: action({ actions: [button({ value: 'yes' })] }),
    inboundEvents: [{ ...buttonPress, button: { name: 'Oh yes', value: 'yes' } }],
  },
  {
    it: 'receives a button press in a thread',
    call: action({
      actions: [button({ value: 'yes' })],
      message: { type: 'message', ts: TS, thread_ts: '1503435900.000001' },
    }),
    inboundEvents: [
      {
        ...buttonPress,
        button: { name: 'Oh yes', value: 'yes' },
        thread: `${CHANNEL}:1503435900.000001`,
      },
    ],
  },
  {
    it: 'receives a chosen option and ignores link buttons',
    call: action({
      actions: [
        button({ url: 'https://example.com' }),
        {
          type: 'static_select',
          action_id: 'button-1',
          selected_option: { text: { type: 'plain_text', text: 'Tea' }, value: 'tea' },
          action_ts: '1503435957.500000',
        },
      ],
    }),
    inboundEvents: [
      ...ignored('block_actions.button', 'no_content'),
      { ...buttonPress, button: { name: 'Tea', value: 'tea' } },
    ],
  },
  {
    it: 'receives a command',
    call: form({
      command: '/weather',
      text: 'in London',
      user_id: ada.id,
      user_name: 'ada',
      channel_id: CHANNEL,
      trigger_id: '13345224609.738474920.fake',
      response_url: 'https://hooks.slack.com/commands/fake',
    }),
    inboundEvents: [
      {
        what: 'message',
        key: 'command:13345224609.738474920.fake',
        from: { ...ada, name: 'ada' },
        group,
        text: '/weather in London',
      },
    ],
  },
  {
    it: "ignores its app's own messages",
    call: message({ text: 'mine', user: 'U2', bot_id: 'B1', app_id: 'A1' }),
    inboundEvents: ignored('message', 'own'),
  },
  {
    it: "ignores its bot's own messages",
    call: message({ text: 'mine', user: 'U1', bot_id: 'B1' }),
    inboundEvents: ignored('message', 'own'),
  },
  ...['channel_topic', 'channel_join', 'bot_message'].map((subtype): HookCase => ({
    it: `ignores ${subtype}`,
    call: message({ subtype, text: 'set the topic' }),
    inboundEvents: ignored(`message.${subtype}`, subtype === 'bot_message' ? 'bot' : 'no_event'),
  })),
  {
    it: 'ignores unknown events and interactions',
    call: event({ type: 'app_home_opened', user: ada.id, channel: 'D0123456789' }),
    inboundEvents: ignored('app_home_opened', 'no_event'),
  },
  {
    it: 'ignores unknown interactions',
    call: interaction({ type: 'view_submission', user: { id: ada.id } }),
    inboundEvents: ignored('view_submission', 'no_event'),
  },
];

testHook(slack, {
  credentials: { token: TOKEN, secret: 'fake-signing-secret' },
  prove(call, { secret = '' }, now) {
    const at = String(Math.floor(now / 1000));
    const mac = createHmac('sha256', secret).update(`v0:${at}:`).update(call.body).digest('hex');
    const proof = { 'X-Slack-Request-Timestamp': at, 'X-Slack-Signature': `v0=${mac}` };
    return { ...call, headers: { ...call.headers, ...proof } };
  },
  coversBody: true,
  window: 300,
  cases,
});

describe('slack, judged by its own example', () => {
  // https://docs.slack.dev/authentication/verifying-requests-from-slack
  const body = Buffer.from(
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  );
  const headers: Readonly<Record<string, string>> = {
    'x-slack-request-timestamp': '1531420618',
    'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
  };
  const secret = '8f742231b10e8888abcd99yyyzzz85a5';

  it('accepts its signature', () => {
    const call = { header: (name: string) => headers[name], body };
    assert.equal(faultOfSlackRequest(call, secret, 1_531_420_618_000), undefined);
    assert.ok(faultOfSlackRequest(call, secret, 1_531_420_618_000 + 301_000));
  });
});

describe('slack file download', () => {
  const setup = { open: openSlack, credentials: { token: TOKEN } };
  const url = SHARED['F0SHARED'];

  it('returns the address and the authorization header', async () => {
    const { found } = await find(slack, 'F0SHARED', setup);
    assert.deepEqual(found, { url, headers: { authorization: `Bearer ${TOKEN}` } });
  });

  it('uses the current token', async () => {
    const credentials = { token: EXPIRED, refresh: REFRESH, ...CLIENT };
    const { found } = await find(slack, 'F0SHARED', { ...setup, credentials });
    assert.deepEqual(found, { url, headers: { authorization: `Bearer ${renewed(1).token}` } });
  });

  it('sends no token to other hosts', async () => {
    const { found } = await find(slack, 'F0ELSEWHERE', setup);
    assert.ok('outcome' in found);
    assertOutcome(found, { outcome: 'permanent', blame: 'content', detail: 'Slack' });
  });

  it('reports a missing file', async () => {
    const { found } = await find(slack, 'F0NONE', setup);
    assert.ok('outcome' in found);
    assertOutcome(found, { outcome: 'permanent', blame: 'content', code: 'file_not_found' });
  });
});
