import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Channel } from '../../src/channels/channel.ts';
import { discord } from '../../src/channels/discord/channel.ts';
import { email } from '../../src/channels/email/channel.ts';
import { googleChat } from '../../src/channels/google-chat/channel.ts';
import { gotify } from '../../src/channels/gotify.ts';
import { instagram } from '../../src/channels/instagram.ts';
import { line } from '../../src/channels/line/channel.ts';
import { matrix } from '../../src/channels/matrix/channel.ts';
import { mattermost } from '../../src/channels/mattermost/channel.ts';
import { messenger } from '../../src/channels/messenger.ts';
import { msTeams } from '../../src/channels/ms-teams/channel.ts';
import { ntfy } from '../../src/channels/ntfy.ts';
import { rocketchat } from '../../src/channels/rocketchat/channel.ts';
import { slack } from '../../src/channels/slack/channel.ts';
import { telegram } from '../../src/channels/telegram/channel.ts';
import { twilio } from '../../src/channels/twilio/channel.ts';
import { viber } from '../../src/channels/viber/channel.ts';
import { vonage } from '../../src/channels/vonage/channel.ts';
import { webhook } from '../../src/channels/webhook/channel.ts';
import { webmessenger } from '../../src/channels/webmessenger.ts';
import { wechat } from '../../src/channels/wechat/channel.ts';
import { zulip } from '../../src/channels/zulip/channel.ts';
import { makePlan } from '../../src/compose/plan.ts';
import { type TestMessage, outgoing } from './suite.ts';

/* Degradations that depend on the recipient or on an id, and that the plan lists them before sending. */

function degradationsOf(channel: Channel, message: Partial<TestMessage>): string[] {
  const { activity, recipient } = outgoing({ recipient: channel.recipient.example, ...message });
  const { degradations } = makePlan(activity, channel, { recipient, credentials: {} });
  return degradations.map(({ what, why }) => `${what}: ${why}`);
}

const answer = (inReplyTo: string): Partial<TestMessage> => ({ object: { inReplyTo } });
const within = (context: string): Partial<TestMessage> => ({ context });
const both = (id: string): Partial<TestMessage> => ({ ...answer(id), ...within(id) });

type Row = [Channel, Partial<TestMessage>, ...RegExp[]];

/** Ids that the channel cannot refer to. */
const UNUSABLE: readonly Row[] = [
  [telegram, both('odd'), /^reply: .*numbers/, /^thread: .*numbers/],
  [discord, both('odd'), /^reply: .*numbers/, /^thread: .*numbers/],
  [slack, both('odd'), /^reply: .*ts/, /^thread: .*ts/],
  [email, both('odd'), /^reply: .*Message-ID/, /^thread: .*Message-ID/],
  [matrix, both('odd'), /^reply: .*\$/, /^thread: .*\$/],
  [mattermost, both('odd'), /^reply: .*26/, /^thread: .*26/],
  [msTeams, both('..'), /^reply: .*ID/, /^thread: .*ID/],
  [line, answer('325708'), /^reply: .*quote token/],
  [
    line,
    { object: { type: 'Image', url: 'https://example.com/a.jpg', inReplyTo: 'token' } },
    /^reply: .*text messages/,
  ],
  [zulip, { ...within('42'), recipient: 'general' }, /^thread: .*topic/],
  [zulip, { ...within('greetings'), recipient: '9' }, /^thread: .*channels only/],
  [msTeams, { ...within('1'), recipient: 'a:chat' }, /^thread: .*channels only/],
];

const USABLE: readonly Row[] = [
  [telegram, both('-100:7')],
  [discord, both('1:2')],
  [slack, both('C1:1.2')],
  [email, both('<a@example.org>')],
  [matrix, both('!r:example.org/$e')],
  [mattermost, both('a'.repeat(26))],
  [msTeams, both('1700000000000')],
  [line, answer('1:token')],
  [zulip, { ...within('greetings'), recipient: 'general' }],
];

const BOLD = { text: '**Now**', object: { mediaType: 'text/markdown' } };
const PLACE = { object: { type: 'Place', latitude: 1, longitude: 2, name: 'Gate' } };
const CAPTION = {
  text: '[Now](https://example.com)',
  object: {
    mediaType: 'text/markdown',
    attachment: [{ type: 'Image', url: 'https://example.com/a.png' }],
  },
};
const WHATSAPP = 'whatsapp:+15558675310';

const BY_RECIPIENT: readonly Row[] = [
  [twilio, BOLD, /^formatting: .*this recipient/],
  [twilio, { ...BOLD, recipient: 'messenger:1' }, /^formatting: .*this recipient/],
  [twilio, { ...BOLD, recipient: WHATSAPP }],
  [twilio, CAPTION, /^formatting: .*this recipient/],
  [twilio, { ...CAPTION, recipient: WHATSAPP }],
  [twilio, PLACE, /^place: .*WhatsApp only/],
  [twilio, { ...PLACE, recipient: WHATSAPP }],
  [vonage, BOLD, /^formatting: .*this recipient/],
  [vonage, { ...BOLD, recipient: 'whatsapp:15558675310' }],
  [wechat, CAPTION, /^caption: WeChat takes no caption/],
  [viber, PLACE, /^caption: .*names/],
];

const TABLE = { text: '| a | b |\n|---|---|\n| 1 | 2 |', object: { mediaType: 'text/markdown' } };
const COLUMN = { text: '<table><tr><td>a</td></tr></table>', object: { mediaType: 'text/html' } };
const NESTED = { text: '- a\n  - b', object: { mediaType: 'text/markdown' } };
const FLAT = { text: '- a\n- b', object: { mediaType: 'text/markdown' } };
const DEAD = { text: '[here](htp://example.com)', object: { mediaType: 'text/markdown' } };
const INWARD = { text: '[here](#below)', object: { mediaType: 'text/markdown' } };
const OUTLINE = {
  text: '<ol><li>a<ul><li>b</li></ul></li></ol>',
  object: { mediaType: 'text/html' },
};

const HEADING = { text: '# a', object: { mediaType: 'text/markdown' } };

const CODE = { text: '```js\nlet a;\n```', object: { mediaType: 'text/markdown' } };
const titled = (length: number) => ({ object: { name: 'x'.repeat(length) } });

const STRUCTURE: readonly Row[] = [
  [telegram, CODE, /^language: /],
  [slack, CODE, /^language: /],
  [vonage, CODE, /^formatting: /],
  [matrix, CODE],
  [googleChat, CODE],
  [telegram, { ...CODE, text: '```\nlet a;\n```' }],
  [googleChat, NESTED],
  [rocketchat, NESTED, /^list: /],
  [rocketchat, FLAT],
  [ntfy, titled(498)],
  [ntfy, titled(499), /^long_title: /],
  [gotify, titled(1000)],
  [telegram, TABLE, /^table: /],
  [slack, TABLE, /^table: /],
  [vonage, TABLE, /^formatting: /, /^table: /],
  [telegram, COLUMN],
  [telegram, { text: '| a | b |\n|---|---|' }],
  [telegram, NESTED],
  [slack, NESTED],
  [vonage, NESTED],
  [matrix, NESTED],
  [matrix, OUTLINE],
  [matrix, TABLE],
  [msTeams, TABLE, /^table: /],
  [msTeams, HEADING],
  [telegram, HEADING, /^heading: /],
  [matrix, FLAT],
  [mattermost, NESTED],
  [mattermost, TABLE],
  [email, NESTED],
  [gotify, NESTED],
  [gotify, { ...NESTED, text: '- a\n  - **b**' }],
  [telegram, DEAD, /^link: /],
  [telegram, INWARD],
  [webhook, TABLE],
];

const withButtons = (...attachment: { name: string; url?: string; value?: string }[]) => ({
  object: { attachment: attachment.map((each) => Object.assign({ type: 'Button' }, each)) },
});
const CALL = { name: 'Call', url: 'tel:+15550100' };
const WRITE = { name: 'Write', url: 'mailto:ada@example.com' };
const ORDER = { name: 'Order', value: 'order-7' };
const NO_CONTACT = /^contact: /;

/** Buttons with features that the channel lacks. */
const PRESSING: readonly Row[] = [
  [telegram, withButtons(ORDER)],
  [telegram, withButtons(ORDER, CALL, WRITE), NO_CONTACT],
  [discord, withButtons(CALL), NO_CONTACT],
  [slack, withButtons(WRITE), NO_CONTACT],
  [msTeams, withButtons(WRITE), NO_CONTACT],
  [line, withButtons(ORDER, CALL)],
  [line, withButtons(WRITE), NO_CONTACT],
  [messenger, withButtons(CALL)],
  [messenger, withButtons(WRITE, CALL), NO_CONTACT],
  [instagram, withButtons(CALL), NO_CONTACT],
  [ntfy, withButtons(WRITE)],
  [ntfy, withButtons(CALL), NO_CONTACT],
  [ntfy, withButtons(ORDER), /^buttons: /, /^value: /],
  [webmessenger, withButtons(ORDER, CALL, WRITE)],
  [vonage, withButtons(ORDER, CALL), /^buttons: /, /^value: /],
  [vonage, withButtons({ name: 'Order' }), /^buttons: /],
  [telegram, withButtons({ ...ORDER, url: 'https://example.com' }), /^value: /],
  [webhook, withButtons(ORDER, CALL, WRITE)],
];

describe('the degradations of a plan', () => {
  for (const [what, rows] of Object.entries({
    'lists a malformed id as unsupported': UNUSABLE,
    'is empty for a usable id': USABLE,
    'lists content that a recipient does not get': BY_RECIPIENT,
    'lists flattened structure': STRUCTURE,
    'lists button features that are lost': PRESSING,
  })) {
    for (const [i, [channel, message, ...expected]] of rows.entries()) {
      it(`${what}: ${channel.name}, ${i + 1}`, () => {
        const degradations = degradationsOf(channel, message);
        assert.equal(degradations.length, expected.length, degradations.join('\n'));
        for (const [at, pattern] of expected.entries())
          assert.match(degradations[at] ?? '', pattern);
      });
    }
  }
});
