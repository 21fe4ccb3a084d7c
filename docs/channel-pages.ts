import { existsSync, readFileSync } from 'node:fs';

import { capabilitiesOf } from '../src/channels/capabilities.ts';
import type { Channel } from '../src/channels/channel.ts';
import { CHANNELS, RETIRED } from '../src/channels/index.ts';
import { DEGRADED } from '../src/compose/losses.ts';
import { unstyled } from '../src/lib/rich-text.ts';
import { JUDGES, judgesInBrief } from './channel-judges.ts';
import { table } from './table.ts';

/* A page a channel: what it declares, and a guide to setting it up that is written by hand. */

const SENDING = CHANNELS.filter(({ send }) => send);

export function channelPage(channel: Channel, notice: string): string {
  const { name, title, docs, aliases = [], credentials, needs, recipient, limits } = channel;
  const guide = guideTo(name);
  const also = aliases.length === 0 ? '' : `, or ${aliases.map((one) => `\`${one}\``).join(', ')}`;
  const fields = credentials.map((field) => [
    `\`${field.name}\``,
    field.label,
    needs.every((set) => set.includes(field.name)) ? 'yes' : '',
    field.secret ? 'yes' : '',
    field.help,
  ]);
  const sets = needs.map((set) => set.map((one) => `\`${one}\``).join(', ')).join('; or ');
  return `# ${title}

${notice}
<!-- From src/channels/${name}.ts, docs/channel-judges.ts and docs/channels/setup/${name}.md. -->

The \`name\` of an integration is \`${name}\`${also}.${docs.startsWith('/') ? '' : ` The vendor's page on sending: <${docs}>.`}

## Credentials

${table(['field', 'what it is', 'needed', 'secret', 'where to find it'], fields)}
${needs.length > 1 ? `Enough to send: ${sets}.\n\n` : ''}## Address

\`to.id\` is ${recipient.form}, such as \`${recipient.example}\`.

## What it carries

${abilities(channel)}
What it cannot carry [degrades](README.md#what-degrades-and-how).

## What comes back

${wayBack(channel)}
${limits.length === 0 ? '' : limitsOf(limits)}${judgedBy(name)}${guide === undefined ? '' : `\n## Setting it up\n\nIn the commands, \`$APP\` is a token of the application, and 4 its id ([the quick start](../start.md#make-an-application-and-give-it-a-chat)\nmakes both).\n\n${guide}`}`;
}

/** What it was judged by; a channel that only our emulator judged says so. */
function judgedBy(name: string): string {
  const judges = JUDGES[name] ?? [];
  const rows = judges.map(({ kind, name: judge, scope, date, test }) => [
    kind === 'our emulator' ? `our emulator, by ${judge}` : `${kind}: ${judge}`,
    scope,
    date,
    test ? `\`${test.file}\`` : 'by hand',
  ]);
  const isAlone = judges.every(({ kind }) => kind === 'our emulator');
  const warning = isAlone
    ? "Only our own emulator has judged it, which is as strict as the vendor's pages: no server of the vendor's has.\n\n"
    : '';
  return `\n## Judged by\n\n${warning}${table(['judge', 'of what', 'last', 'test'], rows)}`;
}

function limitsOf(limits: Channel['limits']): string {
  return `\n## Limits\n\n${limits.map(({ what, link }) => `- ${what} ([source](${link}))`).join('\n')}\n`;
}

function abilities(channel: Channel): string {
  const can = capabilitiesOf(channel);
  const media = (['image', 'video', 'audio', 'document'] as const).filter((kind) => can[kind]);
  const { buttons } = can;
  const rows = [
    ['text', can.text === null ? 'yes' : `up to ${can.text.toLocaleString('en')} in one part`],
    ['formatting', yes(can.formatting)],
    ['plain text that may be formatted', formatsOf(channel).join(', ')],
    ['media', media.length === 0 ? 'as links' : media.join(', ')],
    ['places', yes(can.place)],
    [
      'buttons',
      buttons ? `${buttons.most}, of ${buttons.label} characters: ${buttons.kinds.join(', ')}` : '',
    ],
    ['value of a button', buttons?.kinds.includes('reply') ? longestValue(buttons.value) : ''],
    ['cards side by side', yes(can.carousel)],
    ['title', can.title ?? ''],
    [
      'replies, threads',
      [can.reply && 'replies', can.thread && 'threads'].filter(Boolean).join(', '),
    ],
    ['Update, Delete', [can.edit && 'Update', can.remove && 'Delete'].filter(Boolean).join(', ')],
    ['check of the credentials', yes(can.check)],
    ['a second try is no duplicate', yes(can.repeats)],
  ];
  return table(['what', ''], rows);
}

function wayBack({ hook, listen, page, receipts = [] }: Channel): string {
  const ways = [
    hook &&
      `The vendor calls the address that \`GET /1/integrations/{id}/hook\` tells. ${hook.setup}`,
    listen &&
      'A session that lasts hears what people write, for as long as the integration is enabled.',
    page && `People write at \`${page}\`, a page of the service itself.`,
    receipts.length > 0 && `Reported of messages that were sent: ${receipts.join(', ')}.`,
  ].filter(Boolean);
  const needs = hook?.needs.filter((set) => set.length > 0) ?? [];
  if (needs.length > 0) {
    const sets = needs.map((set) => set.map((one) => `\`${one}\``).join(' and ')).join(', or ');
    ways.push(`Without ${sets}, every call is refused: a genuine one could not be told.`);
  }
  return ways.length === 0 ? 'Nothing comes back on this channel.' : ways.join('\n\n');
}

function longestValue(value: { most: number; unit: string } | null): string {
  return value ? `up to ${value.most.toLocaleString('en')} ${value.unit}` : 'yes';
}

const yes = (can: boolean) => (can ? 'yes' : '');

function guideTo(name: string): string | undefined {
  const file = new URL(`channels/setup/${name}.md`, import.meta.url);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** `yes` for all of them; otherwise their names. */
function mediaOf({ image, video, audio, document }: ReturnType<typeof capabilitiesOf>): string {
  if (image && video && audio && document) return 'yes';
  const kinds = { images: image, video, audio, files: document };
  return Object.entries(kinds)
    .flatMap(([kind, can]) => (can ? kind : []))
    .join(', ');
}

/** `base` leads from where the table stands to the pages. */
export function channelTable(base: string): string {
  const rows = SENDING.map((channel) => {
    const can = capabilitiesOf(channel);
    return [
      `[${channel.title}](${base}${channel.name}.md)`,
      `\`${channel.name}\``,
      can.text === null ? 'any' : can.text.toLocaleString('en'),
      yes(can.formatting),
      mediaOf(can),
      yes(can.place),
      can.buttons ? String(can.buttons.most) : '',
      yes(can.reply || can.thread),
      [can.edit && 'edit', can.remove && 'delete'].filter(Boolean).join(', '),
      yes(can.repeats),
      yes(can.receive.length > 0),
      can.receipts.join(', '),
    ];
  });
  return table(
    [
      'channel',
      'name',
      'text',
      'formatting',
      'media',
      'places',
      'buttons',
      'replies',
      'changes',
      'no duplicates',
      'receives',
      'receipts',
    ],
    rows,
  );
}

/** What it may format of plain text, to one recipient or another. */
function formatsOf({ text, recipient }: Channel): string[] {
  const recipients = [recipient.example, 'whatsapp:+15558675310'];
  const rules = recipients.flatMap(
    (each) => text?.formats?.(unstyled('a'), { recipient: each, credentials: {} }) ?? [],
  );
  return [...new Set(rules.map(({ as }) => as))];
}

function judgeTable(): string {
  const rows = SENDING.map(({ name, title }) => {
    const { judges, date } = judgesInBrief(name);
    return [`[${title}](${name}.md#judged-by)`, judges, date];
  });
  return table(['channel', 'judged by', 'last'], rows);
}

export function channelsPage(notice: string): string {
  const degraded = Object.entries(DEGRADED).map(([what, became]) => [what, became]);
  const formatting = SENDING.flatMap((channel) => {
    const formats = formatsOf(channel);
    return formats.length === 0
      ? []
      : [[`[${channel.title}](${channel.name}.md)`, formats.join(', ')]];
  });
  const retired = [...RETIRED].map(([name, advice]) => `- \`${name}\`: ${advice}`);
  return `# Channels

${notice}
<!-- From src/channels/, DEGRADED in src/compose/losses.ts and docs/channel-judges.ts. -->

The \`name\` of an integration is a channel. \`GET /1/channels\` answers the same as data.

${channelTable('')}
*text*: how much one part may have; what is longer goes in several. *no duplicates*: the channel knows a message by a key, so that a second try, after an answer that was lost, is no second message.

## What degrades, and how

What a channel cannot carry is never dropped without a word: it becomes what the rule says, the same for all channels, and \`POST /1/message?dry_run=true\` says so for a message before anything is sent.

${table(['what', 'becomes'], degraded)}
## Plain text

Plain text goes out character for character. Where a product formats plain text, its own escape is used; where it has none, the text is sent unchanged and the dry run lists what may be formatted (\`may_be_formatted\`) on these channels:

${table(['channel', 'may be shown as'], formatting)}
## What judged them, and when

By whom requests, answers and texts were judged, and on which day last. An emulator of ours is as strict as the vendor's pages; its day is the last on which it was compared with them. The pages of the channels say more.

${judgeTable()}
## Channels that are gone

${retired.join('\n')}
`;
}

export const CHANNEL_PAGES: readonly Channel[] = SENDING;
