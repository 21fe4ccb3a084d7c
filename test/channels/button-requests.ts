import { createHash, createHmac, createPrivateKey, sign } from 'node:crypto';

import { SignJWT } from 'jose';

import { listMember, member, textMember } from '../../src/lib/json/json-member.ts';
import type { Credentials } from '../../src/model/integration.ts';
import { CHANNELS, TOKEN as DISCORD, PUBLIC_KEY, openDiscord } from '../emulators/discord/api.ts';
import { KEY_FILE, SIGNER, SPACE, openGoogleChat } from '../emulators/google-chat.ts';
import { TOKEN as LINE, SECRET as LINE_SECRET, PEERS, openLine } from '../emulators/line.ts';
import { TOKEN as META } from '../emulators/meta/graph.ts';
import { openInstagram } from '../emulators/meta/instagram.ts';
import { openMessenger } from '../emulators/meta/messenger.ts';
import { PEOPLE as META_PEOPLE } from '../emulators/meta/send-api.ts';
import { NUMBER_ID, PEOPLE as WHATSAPP_PEOPLE, openWhatsApp } from '../emulators/meta/whatsapp.ts';
import { APP, CONVERSATIONS, PASSWORD, connectorToken, openTeams } from '../emulators/ms-teams.ts';
import type { HttpPeer } from '../emulators/server/http.ts';
import { TOKEN as SLACK, openSlack } from '../emulators/slack/api.ts';
import { CHATS, TOKEN as TELEGRAM, openTelegram } from '../emulators/telegram.ts';
import { PEOPLE as VIBER_PEOPLE, TOKEN as VIBER, openViber } from '../emulators/viber.ts';
import {
  PERSON as WEBEX_PERSON,
  ROOM as WEBEX_ROOM,
  TOKEN as WEBEX,
  actionId,
  openWebex,
} from '../emulators/webex.ts';
import { PEOPLE as WECHAT_PEOPLE, APP as WECHAT, openWeChat } from '../emulators/wechat.ts';
import type { WebhookRequest } from './hooks.ts';
import { SECRETS, proveAsMeta } from './meta/proof.ts';

/* Builds each vendor's webhook request for a pressed button from the request that sent the button. */

export interface ButtonRequest {
  channel: string;
  open(): Promise<HttpPeer>;
  credentials: Credentials;
  to: string;
  /** The vendor's webhook request for a press of the named button. */
  call(sent: unknown, name: string): Partial<WebhookRequest>;
  prove(
    call: WebhookRequest,
    credentials: Credentials,
    now: number,
  ): WebhookRequest | Promise<WebhookRequest>;
}

let calls = 0;

const json = (body: object): Partial<WebhookRequest> => ({
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(body)),
});

const withHeaders = (call: WebhookRequest, headers: Record<string, string>): WebhookRequest => ({
  ...call,
  headers: { ...call.headers, ...headers },
});

const named = (buttons: readonly unknown[], field: string, name: string): unknown =>
  buttons.find((each) => textMember(each, ...field.split('.')) === name);

/** Key pair of RFC 8032, section 7.1, test 1; the emulator has its public key. */
const DISCORD_KEY = createPrivateKey({
  format: 'jwk',
  key: {
    kty: 'OKP',
    crv: 'Ed25519',
    d: Buffer.from(
      '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
      'hex',
    ).toString('base64url'),
    x: Buffer.from(PUBLIC_KEY, 'hex').toString('base64url'),
  },
});

const MINUTES = 60_000;

const meta = (object: 'page' | 'instagram') => (sent: unknown, name: string) => {
  const reply = named(listMember(sent, 'message', 'quick_replies'), 'title', name);
  const quick_reply = { payload: textMember(reply, 'payload') };
  const message = { mid: `m_press_${++calls}`, text: name, quick_reply };
  const event = {
    sender: { id: META_PEOPLE.known },
    recipient: { id: '1' },
    timestamp: 1,
    message,
  };
  return json({ object, entry: [{ id: '1', time: 1, messaging: [event] }] });
};

export const BUTTON_REQUESTS: readonly ButtonRequest[] = [
  {
    channel: 'telegram',
    open: openTelegram,
    credentials: { token: TELEGRAM, secret: 'fake-secret_of-a-webhook' },
    to: CHATS.person,
    call(sent, name) {
      const reply_markup = member(sent, 'reply_markup');
      const keys = listMember(reply_markup, 'inline_keyboard').flatMap((row) => row);
      const chat = { id: 1, type: 'private', first_name: 'Ada' };
      return json({
        update_id: ++calls,
        callback_query: {
          id: '4382bfdwdsb323b2d9',
          from: { id: 1, is_bot: false, first_name: 'Ada' },
          message: { message_id: 1, date: 1_794_700_800, chat, text: 'Well?', reply_markup },
          chat_instance: '1',
          data: textMember(named(keys, 'text', name), 'callback_data'),
        },
      });
    },
    prove: (call, { secret = '' }) =>
      withHeaders(call, { 'x-telegram-bot-api-secret-token': secret }),
  },
  {
    channel: 'discord',
    open: openDiscord,
    credentials: { token: DISCORD, secret: PUBLIC_KEY },
    to: CHANNELS.text,
    call(sent, name) {
      const components = listMember(sent, 'components');
      const keys = components.flatMap((row) => listMember(row, 'components'));
      const custom_id = textMember(named(keys, 'label', name), 'custom_id');
      return json({
        id: String(175_928_847_299_117_063n + BigInt(++calls)),
        type: 3,
        token: 'fake-token-of-an-interaction',
        channel_id: CHANNELS.text,
        user: { id: '53908232506183680', username: 'ada' },
        message: { id: '1100000000000000007', channel_id: CHANNELS.text, components },
        data: { component_type: 2, custom_id },
      });
    },
    prove(call, _credentials, now) {
      const at = String(Math.floor(now / 1000));
      const signature = sign(undefined, Buffer.concat([Buffer.from(at), call.body]), DISCORD_KEY);
      return withHeaders(call, {
        'X-Signature-Ed25519': signature.toString('hex'),
        'X-Signature-Timestamp': at,
      });
    },
  },
  {
    channel: 'slack',
    open: openSlack,
    credentials: { token: SLACK, secret: 'fake-signing-secret' },
    to: 'C0123456789',
    call(sent, name) {
      const blocks = listMember(sent, 'blocks');
      const keys = blocks.flatMap((block) => listMember(block, 'elements'));
      const action = {
        ...Object(named(keys, 'text.text', name)),
        action_ts: `150343595${++calls}.5`,
      };
      const payload = {
        type: 'block_actions',
        user: { id: 'U0123456789', name: 'ada' },
        container: { type: 'message', message_ts: '1503435956.000247' },
        channel: { id: 'C0123456789', name: 'general' },
        actions: [action],
      };
      return {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: Buffer.from(new URLSearchParams({ payload: JSON.stringify(payload) }).toString()),
      };
    },
    prove(call, { secret = '' }, now) {
      const at = String(Math.floor(now / 1000));
      const mac = createHmac('sha256', secret).update(`v0:${at}:`).update(call.body).digest('hex');
      return withHeaders(call, {
        'X-Slack-Request-Timestamp': at,
        'X-Slack-Signature': `v0=${mac}`,
      });
    },
  },
  {
    channel: 'whatsapp',
    open: openWhatsApp,
    credentials: { token: META, username: NUMBER_ID, ...SECRETS },
    to: WHATSAPP_PEOPLE.known,
    call(sent, name) {
      const buttons = listMember(sent, 'interactive', 'action', 'buttons');
      const button_reply = member(named(buttons, 'reply.title', name), 'reply');
      const message = {
        id: `wamid.press${++calls}`,
        from: WHATSAPP_PEOPLE.known,
        timestamp: '1749416383',
        type: 'interactive',
        interactive: { type: 'button_reply', button_reply },
      };
      const metadata = { display_phone_number: '15550783881', phone_number_id: NUMBER_ID };
      const value = { messaging_product: 'whatsapp', metadata, messages: [message] };
      return json({
        object: 'whatsapp_business_account',
        entry: [{ id: '1', changes: [{ field: 'messages', value }] }],
      });
    },
    prove: proveAsMeta,
  },
  {
    channel: 'messenger',
    open: openMessenger,
    credentials: { token: META, ...SECRETS },
    to: META_PEOPLE.known,
    call: meta('page'),
    prove: proveAsMeta,
  },
  {
    channel: 'instagram',
    open: openInstagram,
    credentials: { token: META, ...SECRETS },
    to: META_PEOPLE.known,
    call: meta('instagram'),
    prove: proveAsMeta,
  },
  {
    channel: 'line',
    open: openLine,
    credentials: { token: LINE, secret: LINE_SECRET },
    to: PEERS.user,
    call(sent, name) {
      const items = listMember(sent, 'messages', '0', 'quickReply', 'items');
      const data = textMember(named(items, 'action.label', name), 'action', 'data');
      const event = {
        type: 'postback',
        mode: 'active',
        timestamp: 1_738_584_865_123,
        source: { type: 'user', userId: PEERS.user },
        webhookEventId: `01FZ74A0TDDPYRVKNK77XKC3Z${++calls}`,
        deliveryContext: { isRedelivery: false },
        postback: { data },
      };
      return json({ destination: 'Uffffffffffffffffffffffffffffffff', events: [event] });
    },
    prove(call, { secret = '' }) {
      const signature = createHmac('sha256', secret).update(call.body).digest('base64');
      return withHeaders(call, { 'X-Line-Signature': signature });
    },
  },
  {
    channel: 'viber',
    open: openViber,
    credentials: { token: VIBER, username: 'Example' },
    to: VIBER_PEOPLE.known,
    call(sent, name) {
      const key = named(listMember(sent, 'keyboard', 'Buttons'), 'Text', name);
      const tracking_data = textMember(sent, 'tracking_data');
      return json({
        event: 'message',
        timestamp: 1_738_584_865_123,
        message_token: 574_131_180_357_172 + ++calls,
        sender: { id: VIBER_PEOPLE.known, name: 'Ada' },
        message: { type: 'text', text: textMember(key, 'ActionBody'), tracking_data },
      });
    },
    prove(call, { token = '' }) {
      const signature = createHmac('sha256', token).update(call.body).digest('hex');
      return withHeaders(call, { 'X-Viber-Content-Signature': signature });
    },
  },
  {
    channel: 'wechat',
    open: openWeChat,
    credentials: { ...WECHAT, secret: 'faketoken0123456789' },
    to: WECHAT_PEOPLE.known,
    call(sent, name) {
      const id = textMember(named(listMember(sent, 'msgmenu', 'list'), 'content', name), 'id');
      const text = `<xml>
  <ToUserName><![CDATA[gh_1]]></ToUserName>
  <FromUserName><![CDATA[${WECHAT_PEOPLE.known}]]></FromUserName>
  <CreateTime>1738584865</CreateTime>
  <MsgType><![CDATA[text]]></MsgType>
  <Content><![CDATA[${name}]]></Content>
  <MsgId>${23_012_345_678_901 + ++calls}</MsgId>
  <bizmsgmenuid>${id}</bizmsgmenuid>
</xml>`;
      return { headers: { 'content-type': 'text/xml' }, body: Buffer.from(text) };
    },
    prove(call, { secret = '' }, now) {
      const [timestamp, nonce] = [String(Math.floor(now / 1000)), '1320562132'];
      const signed = [secret, timestamp, nonce].toSorted().join('');
      const signature = createHash('sha1').update(signed).digest('hex');
      return { ...call, query: { signature, timestamp, nonce } };
    },
  },
  {
    channel: 'webex',
    open: () => openWebex(),
    credentials: { token: WEBEX, secret: 'fake-webhook-secret' },
    to: WEBEX_ROOM,
    call(sent, name) {
      const keys = listMember(sent, 'attachments', '0', 'content', 'actions');
      const inputs = Object(member(named(keys, 'title', name), 'data'));
      return json({
        resource: 'attachmentActions',
        event: 'created',
        data: { id: actionId(inputs, ++calls), type: 'submit', personId: WEBEX_PERSON },
      });
    },
    prove(call, { secret = '' }) {
      const signature = createHmac('sha1', secret).update(call.body).digest('hex');
      return withHeaders(call, { 'X-Spark-Signature': signature });
    },
  },
  {
    channel: 'ms-teams',
    open: openTeams,
    credentials: { token: APP, secret: PASSWORD },
    to: CONVERSATIONS.person,
    call(sent, name) {
      const keys = listMember(sent, 'attachments', '0', 'content', 'buttons');
      const key = named(keys, 'title', name);
      return json({
        type: 'message',
        id: String(1_738_584_865_123 + ++calls),
        timestamp: '2025-02-03T12:14:25.123Z',
        serviceUrl: 'https://smba.trafficmanager.net/emea/',
        channelId: 'msteams',
        from: { id: '29:1XJKJMvc5GBtc2JwZq0oj8tHZmzrQgFmB39ATiQWA85g', name: 'Alma' },
        conversation: { conversationType: 'personal', id: CONVERSATIONS.person },
        recipient: { id: `28:${APP}`, name: 'Example' },
        text: textMember(key, 'text'),
        value: member(key, 'value'),
      });
    },
    prove(call, _credentials, now) {
      const nbf = Math.floor(now / 1000);
      const claims = {
        iss: 'https://api.botframework.com',
        aud: APP,
        serviceurl: 'https://smba.trafficmanager.net/emea/',
        nbf,
        exp: nbf + 600,
      };
      return withHeaders(call, { Authorization: `Bearer ${connectorToken(claims)}` });
    },
  },
  {
    channel: 'google-chat',
    open: openGoogleChat,
    credentials: { token: KEY_FILE, username: '1234567890' },
    to: SPACE,
    call(sent, name) {
      const path = ['cardsV2', '0', 'card', 'sections', '0', 'widgets'];
      const widgets = listMember(sent, ...path);
      const keys = widgets.flatMap((each) => listMember(each, 'buttonList', 'buttons'));
      const parameters = member(named(keys, 'text', name), 'onClick', 'action', 'parameters');
      return json({
        type: 'CARD_CLICKED',
        eventTime: new Date(Date.UTC(2026, 10, 15) + ++calls * MINUTES).toISOString(),
        user: { name: 'users/12345678901234567890', displayName: 'Ada', type: 'HUMAN' },
        space: { name: SPACE, type: 'DM', spaceType: 'DIRECT_MESSAGE' },
        message: { name: `${SPACE}/messages/Thread.Message` },
        action: { actionMethodName: 'reply', parameters },
      });
    },
    async prove(call, { username = '' }, now) {
      const iat = Math.floor(now / 1000);
      const token = await new SignJWT({ iss: SIGNER.email, aud: username, iat, exp: iat + 3600 })
        .setProtectedHeader({ alg: 'RS256', kid: SIGNER.kid, typ: 'JWT' })
        .sign(SIGNER.key);
      return withHeaders(call, { Authorization: `Bearer ${token}` });
    },
  },
];
