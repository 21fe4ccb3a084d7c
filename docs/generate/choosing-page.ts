import { capabilitiesOf } from '../../src/channels/capabilities.ts';
import type { Channel } from '../../src/channels/channel.ts';
import { costOf } from './channel-costs.ts';
import { CHANNEL_PAGES } from './channel-pages.ts';
import { table } from './table.ts';

/* docs/channels/choosing.md: a decision table, then all channels by kind with costs, reach and receipts. */

const KINDS: readonly (readonly [Channel['category'], string, string])[] = [
  [
    'sms',
    'SMS',
    'Reaches every phone without an app, and costs the most. Texts are billed by segments of 160 characters, or 70 with characters beyond the GSM alphabet; a dry run shows how many a text needs.',
  ],
  [
    'chat',
    'Chat apps',
    'Cheap and rich, with images and buttons. Most require that a person writes first or agrees.',
  ],
  [
    'email',
    'Email',
    'Reaches everyone, has no length limit that matters, and is often read hours later.',
  ],
  ['team-chat', 'Team chat', 'For colleagues: alerts, approvals, bots.'],
  [
    'push',
    'Push notifications',
    'For people who installed an app or allowed notifications. Short, immediate, mostly one-way.',
  ],
  ['own', 'Your own', 'No vendor in between.'],
];

export function choosingPage(notice: string): string {
  const sections = KINDS.map(([category, title, words]) => {
    const own = CHANNEL_PAGES.filter((channel) => channel.category === category);
    return `### ${title}\n\n${words}\n\n${channelRows(own)}`;
  });
  return `# Choosing a channel

${notice}
<!-- From docs/generate/choosing-page.ts, docs/generate/channel-costs.ts and src/channels/. -->

Choose by whom you need to reach, what it may cost, and what you must know afterwards. An application can use several channels; the message
format is the same for all.

## Decide by purpose

| you want to | use | because |
| --- | --- | --- |
| reach any customer with something urgent, such as a code or a delivery | SMS: [Twilio](twilio.md), [Vonage](vonage.md), [MessageBird](messagebird.md), [CALLR](callr.md), or your provider over [SMPP](smpp.md) | every phone receives it, without an app |
| send order updates that customers answer | [WhatsApp](whatsapp.md), then SMS for those without | receipts, images and buttons for less than SMS in many countries |
| answer customers who write to you | [Web Messenger](webmessenger.md), [Messenger](messenger.md), [Instagram](instagram.md), [Telegram](telegram.md), [WhatsApp](whatsapp.md) | answers are free or cheap, and customers choose the app |
| send documents, invoices and long texts | [Email](email.md) | no app, no length limit, attachments |
| alert your own team | [Slack](slack.md), [Microsoft Teams](ms-teams.md), [Mattermost](mattermost.md), [Zulip](zulip.md), [Google Chat](google-chat.md) | included in what you have |
| wake the person on call | [Pushover](pushover.md) or [ntfy](ntfy.md) with a high priority, or SMS | breaks through silent mode, or needs no data connection |
| keep everything on your own servers | [Matrix](matrix.md), [XMPP](xmpp.md), [Mattermost](mattermost.md), [Gotify](gotify.md), [ntfy](ntfy.md), [Web Messenger](webmessenger.md) | no vendor sees the messages |
| reach people in Japan, Taiwan and Thailand | [LINE](line.md) | the common app there |
| reach people in Eastern Europe and the Philippines | [Viber](viber.md) | the common app there |
| reach people in China | [WeChat](wechat.md) | the common app there |
| connect something that is not listed | [Webhook](webhook.md) | posts each message to a program of yours |

## Do you need to know that it arrived?

*sent* means that the vendor accepted the message; every channel reports that. *delivered* means that it reached the device, and *read* that
a person opened it. Only the channels with these words under *receipts* report them. Choose one of them for a message with
[routes](../messaging/routes.md), which goes to another channel if it does not arrive.

## All channels by kind

*first message*: whom you can write to without being written to. *costs* are those of the vendor; Switchboard costs nothing. Prices depend on the
country and change, so the table links to the vendor's page. [The channel table](README.md) compares
formatting, media, buttons and limits.

${sections.join('\n')}`;
}

function channelRows(channels: readonly Channel[]): string {
  const rows = channels.map((channel) => {
    const { cost, prices, firstMessage } = costOf(channel.name);
    const can = capabilitiesOf(channel);
    return [
      `[${channel.title}](${channel.name}.md)`,
      prices === undefined ? cost : `${cost} ([prices](${prices}))`,
      firstMessage,
      can.receive.length > 0 ? 'yes' : '',
      can.receipts.join(', '),
    ];
  });
  return table(['channel', 'costs', 'first message', 'answers', 'receipts'], rows);
}
