import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { HookRequest } from '../../../src/channels/inbound.ts';
import { findChannel } from '../../../src/channels/index.ts';
import type { Credentials } from '../../../src/model/integration.ts';
import { HOOK_URL } from '../hooks.ts';
import { openContext } from '../suite.ts';

/*
 * Genuine requests without an event, with the type and reason by which they are counted. They are incomplete versions
 * of the requests in each channel's own tests.
 */

interface Report {
  /** An object is sent as JSON, a text as a form. */
  body: object | string;
  ignored: string;
  headers?: Readonly<Record<string, string>>;
  credentials?: Credentials;
}

const lineEvent = (type: string, more: object = {}) => ({
  events: [{ webhookEventId: 'E1', source: { userId: 'U1' }, type, ...more }],
});
const slackEvent = (event: object) => ({
  type: 'event_callback',
  event_id: 'Ev1',
  authorizations: [{ user_id: 'UBOT', is_bot: true }],
  event,
});
const formOf = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
const teamsActivity = (type: string, more: object = {}) => ({
  type,
  serviceUrl: 'https://smba.trafficmanager.net/teams/',
  from: { id: '29:ada' },
  recipient: { id: '28:bot' },
  conversation: { id: 'a:1', conversationType: 'personal' },
  ...more,
});
const chatEvent = (type: string, more: object = {}) => ({
  type,
  eventTime: '2026-01-02T03:04:05Z',
  space: { name: 'spaces/AAA', type: 'DM' },
  user: { name: 'users/1', type: 'HUMAN' },
  ...more,
});
const update = (more: object) => ({ update_id: 1, ...more });
const ADA = { id: 7, is_bot: false, first_name: 'Ada' };
const VONAGE_JWT = { authorization: 'Bearer fake' };
const bird = { headers: { 'messagebird-signature': 'x' } };
const birdEvent = (event: string, payload: object = {}) => ({
  event,
  payload: { id: 'M1', ...payload },
});

const viberEvent = (event: string, more: object = {}) => ({
  event,
  timestamp: 1_700_000_000_000,
  message_token: 7,
  ...more,
});
const activities = (more: object) => ({ for_user_id: '1', ...more });
const messageBy = (sender: string, more: object = {}) =>
  activities({ direct_message_events: [{ message_create: { sender_id: sender }, ...more }] });
const readBy = (more: object) => activities({ direct_message_mark_read_events: [more] });
const vonageMessage = (more: object) => ({
  message_uuid: 'V1',
  channel: 'sms',
  message_type: 'unheard',
  ...more,
});

const whatsApp = (field: string, value: object) => ({
  credentials: { username: '9' },
  body: {
    object: 'whatsapp_business_account',
    entry: [{ changes: [{ field, value: { metadata: { phone_number_id: '9' }, ...value } }] }],
  },
});
const weChat = (fields: Readonly<Record<string, string>>) => {
  const elements = Object.entries({ FromUserName: 'ada', CreateTime: '1', ...fields });
  return `<xml>${elements.map(([name, value]) => `<${name}>${value}</${name}>`).join('')}</xml>`;
};

const REPORTS: Readonly<Record<string, readonly Report[]>> = {
  callr: [
    { body: { type: 'sms.mo', data: {} }, ignored: 'sms.mo: incomplete' },
    {
      body: { type: 'sms.mo', data: { hash: 'S1', from: '+331' } },
      ignored: 'sms.mo: incomplete',
    },
  ],
  'google-chat': [
    { body: chatEvent('MESSAGE', { message: { text: 'x' } }), ignored: 'MESSAGE: incomplete' },
    {
      body: chatEvent('MESSAGE', { message: { name: 'spaces/AAA/messages/1' } }),
      ignored: 'MESSAGE: no_content',
    },
    { body: chatEvent('CARD_CLICKED'), ignored: 'CARD_CLICKED: no_content' },
  ],
  groupme: [
    {
      body: { id: '1', group_id: '2', user_id: '3', sender_type: 'user', text: '' },
      ignored: 'message: no_content',
    },
  ],
  line: [
    { body: { events: [{ type: 'message' }] }, ignored: 'message: incomplete' },
    { body: lineEvent('postback'), ignored: 'postback: incomplete' },
    { body: lineEvent('unsend'), ignored: 'unsend: incomplete' },
    { body: lineEvent('memberJoined'), ignored: 'member.join: incomplete' },
    { body: lineEvent('memberLeft'), ignored: 'member.leave: incomplete' },
    {
      body: lineEvent('message', { message: { type: 'text', text: 'x' } }),
      ignored: 'message.text: incomplete',
    },
    {
      body: lineEvent('message', { message: { id: '1', type: 'unheard' } }),
      ignored: 'message.unheard: no_content',
    },
  ],
  messagebird: [
    { body: birdEvent('sms.unheard'), ignored: 'sms.unheard: no_event', ...bird },
    { body: birdEvent('sms.inbound'), ignored: 'sms.inbound: incomplete', ...bird },
    {
      body: birdEvent('sms.inbound', {
        sender: { contact: { identifierValue: '+4915112345678' } },
      }),
      ignored: 'sms.inbound: no_content',
      ...bird,
    },
  ],
  messenger: [
    {
      body: { object: 'page', entry: [{ id: '9', messaging: [{ message: { text: 'x' } }] }] },
      ignored: 'message: incomplete',
    },
  ],
  'ms-teams': [
    { body: teamsActivity('messageDelete'), ignored: 'messageDelete: incomplete' },
    { body: teamsActivity('conversationUpdate'), ignored: 'conversationUpdate: no_event' },
    { body: teamsActivity('message', { text: 'x' }), ignored: 'message: incomplete' },
    { body: teamsActivity('messageUpdate', { text: 'x' }), ignored: 'edit: incomplete' },
    { body: teamsActivity('message', { id: '1' }), ignored: 'message: no_content' },
    { body: teamsActivity('event', { name: 'unheard' }), ignored: 'event unheard: no_event' },
    {
      body: teamsActivity('event', { name: 'application/vnd.microsoft.readReceipt' }),
      ignored: 'event application/vnd.microsoft.readReceipt: incomplete',
    },
  ],
  slack: [
    { body: { type: 'unheard' }, ignored: 'unheard: no_event' },
    {
      body: slackEvent({ type: 'message', channel: 'C1', ts: '1.2', text: 'x' }),
      ignored: 'message: incomplete',
    },
    {
      body: slackEvent({ type: 'message', channel: 'C1', ts: '1.2', user: 'U1', text: '' }),
      ignored: 'message: no_content',
    },
    {
      body: slackEvent({
        type: 'message',
        subtype: 'message_deleted',
        channel: 'C1',
        deleted_ts: '1.2',
        previous_message: { user: 'UBOT' },
      }),
      ignored: 'message.message_deleted: own',
    },
    {
      body: slackEvent({ type: 'message', subtype: 'message_deleted', channel: 'C1' }),
      ignored: 'message.message_deleted: incomplete',
    },
    {
      body: slackEvent({ type: 'member_joined_channel', channel: 'C1', user: 'UBOT' }),
      ignored: 'member.join: own',
    },
    {
      body: slackEvent({ type: 'member_left_channel', user: 'U1' }),
      ignored: 'member.leave: incomplete',
    },
    { body: formOf({ unheard: '1' }), ignored: 'form: no_event' },
    {
      body: formOf({ payload: JSON.stringify({ type: 'block_actions', user: { id: 'U1' } }) }),
      ignored: 'block_actions: unanswerable',
    },
    { body: formOf({ command: '/help', user_id: 'U1' }), ignored: 'command: incomplete' },
  ],
  telegram: [
    { body: update({ poll_answer: {} }), ignored: 'poll_answer: no_event' },
    { body: update({ message: { text: 'x' } }), ignored: 'message.text: incomplete' },
    { body: update({ my_chat_member: {} }), ignored: 'my_chat_member: incomplete' },
    {
      body: update({
        my_chat_member: {
          chat: { id: 7, type: 'private' },
          from: ADA,
          new_chat_member: { status: 'left' },
        },
      }),
      ignored: 'my_chat_member.left: no_event',
    },
    { body: update({ callback_query: { id: '1' } }), ignored: 'callback_query: incomplete' },
    {
      body: update({ callback_query: { id: '1', from: ADA } }),
      ignored: 'callback_query: no_content',
    },
  ],
  twilio: [
    {
      body: formOf({ MessageSid: 'SM1', MessageStatus: 'unheard' }),
      ignored: 'status.unheard: no_event',
    },
  ],
  twitter: [
    {
      body: activities({ direct_message_events: [{}] }),
      ignored: 'direct_message_events: incomplete',
    },
    { body: messageBy('2', { id: '5' }), ignored: 'direct_message_events: incomplete' },
    { body: readBy({}), ignored: 'direct_message_mark_read_events: incomplete' },
    { body: readBy({ sender_id: '1' }), ignored: 'direct_message_mark_read_events: own' },
    {
      body: readBy({ sender_id: '2', last_read_event_id: 'x' }),
      ignored: 'direct_message_mark_read_events: incomplete',
    },
  ],
  viber: [
    { body: viberEvent('subscribed'), ignored: 'subscribed: incomplete' },
    { body: viberEvent('unsubscribed'), ignored: 'unsubscribed: incomplete' },
    {
      body: viberEvent('message', { message: { type: 'text', text: 'x' } }),
      ignored: 'message.text: incomplete',
    },
    {
      body: viberEvent('message', { sender: { id: 'abc=' }, message: { type: 'unheard' } }),
      ignored: 'message.unheard: no_content',
    },
  ],
  vonage: [
    { body: vonageMessage({}), ignored: 'sms.unheard: incomplete', headers: VONAGE_JWT },
    {
      body: vonageMessage({ from: '33612345678' }),
      ignored: 'sms.unheard: no_content',
      headers: VONAGE_JWT,
    },
    {
      body: formOf({ messageId: '1', msisdn: '33612345678', type: 'binary' }),
      ignored: 'sms.binary: no_content',
    },
  ],
  wechat: [
    { body: weChat({ MsgType: 'text', Content: 'x' }), ignored: 'text: incomplete' },
    { body: weChat({ MsgType: 'unheard', MsgId: '1' }), ignored: 'unheard: no_content' },
    { body: weChat({ MsgType: 'event', Event: 'CLICK' }), ignored: 'event.CLICK: incomplete' },
  ],
  whatsapp: [
    {
      ...whatsApp('user_id_update', { user_id_update: [{}] }),
      ignored: 'user_id_update: incomplete',
    },
    {
      ...whatsApp('user_preferences', { user_preferences: [{}] }),
      ignored: 'user_preferences: incomplete',
    },
    {
      ...whatsApp('user_preferences', { user_preferences: [{ wa_id: '331', value: 'unheard' }] }),
      ignored: 'user_preferences.unheard: no_event',
    },
    { ...whatsApp('messages', { errors: [{}] }), ignored: 'errors: no_event' },
    {
      ...whatsApp('messages', { messages: [{ type: 'text' }] }),
      ignored: 'messages.text: incomplete',
    },
    {
      ...whatsApp('messages', { messages: [{ id: 'w1', type: 'text' }] }),
      ignored: 'messages.text: incomplete',
    },
    { ...whatsApp('messages', { statuses: [{}] }), ignored: 'statuses: incomplete' },
    {
      ...whatsApp('messages', { statuses: [{ id: 'w1', status: 'unheard' }] }),
      ignored: 'statuses.unheard: no_event',
    },
  ],
};

function requestOf({ body, headers = {} }: Report): HookRequest {
  const isForm = typeof body === 'string';
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
  const all: Readonly<Record<string, string>> = { 'content-type': type, ...headers };
  return {
    method: 'POST',
    url: HOOK_URL,
    path: '',
    query: new URLSearchParams(),
    header: (name) => all[name.toLowerCase()],
    body: Buffer.from(isForm ? body : JSON.stringify(body)),
  };
}

for (const [name, reports] of Object.entries(REPORTS)) {
  describe(`ignored reports of ${name}`, () => {
    for (const [i, report] of reports.entries()) {
      it(`${name} ignores report ${i + 1}: ${report.ignored}`, async () => {
        const channel = findChannel(name);
        assert.ok(channel?.hook);
        const { credentials = {} } = report;
        await using context = openContext({ credentials, url: `https://${name}.example` });
        const events = (await channel.hook.parse(requestOf(report), context)) ?? [];
        assert.deepEqual(
          events.map((event) =>
            event.what === 'ignored' ? `${event.type}: ${event.reason}` : event.what,
          ),
          [report.ignored],
        );
      });
    }
  });
}
