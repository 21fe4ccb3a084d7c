import { existsSync, readFileSync } from 'node:fs';

import { type Capabilities, capabilitiesOf } from '../../src/channels/capabilities.ts';
import type { Channel, OptionRule, TextLimit } from '../../src/channels/channel.ts';
import { CHANNELS, RETIRED } from '../../src/channels/index.ts';
import { DEGRADED } from '../../src/compose/degradations.ts';
import { unstyled } from '../../src/lib/rich-text/rich-text.ts';
import { JUDGES, judgesInBrief } from './channel-judges.ts';
import { sandboxSection } from './sandbox-page.ts';
import { table } from './table.ts';

/* One page per channel: a handwritten setup guide, followed by what the channel declares. */

const SENDING = CHANNELS.filter(({ send }) => send);

export function channelPage(channel: Channel, notice: string): string {
  const { name, title, docs, aliases = [], credentials, needs, recipient, limits } = channel;
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
<!-- From ${sourceOf(name)}, docs/generate/channel-judges.ts and docs/channels/setup/${name}.md. -->

The \`name\` of an integration is \`${name}\`${also}.${docs.startsWith('/') ? '' : ` Vendor documentation: <${docs}>.`}

${setupOf(channel)}
## Credentials

${table(['field', 'label', 'required', 'secret', 'where to find it'], fields)}
${needs.length > 1 ? `Required to send: ${sets}.\n\n` : ''}## Address

\`to.id\` is ${recipient.format}. For example: \`${recipient.example}\`

## Capabilities

${abilities(channel)}
Unsupported content [degrades](README.md#what-degrades-and-how).

${optionsOf(channel)}${limits.length === 0 ? '' : limitsOf(limits)}${sandboxSection(name)}${verifiedAgainst(name)}`;
}

const RECEIVING = '\n## Receiving\n';

/** The guide, with what the channel declares about receiving in its place. */
function setupOf(channel: Channel): string {
  const guide = guideTo(channel.name);
  const [setup = '', ...receiving] = guide?.split(RECEIVING) ?? [];
  const intro =
    'In the commands, `$APP` is a token of the application and 4 is its id. The [quick start](../start.md#make-an-application-and-give-it-a-channel)\ncreates both.';
  const steps = guide === undefined ? '' : `## Setup\n\n${intro}\n\n${setup.trim()}\n`;
  const own = receiving.join(RECEIVING);
  return `${steps}${RECEIVING}\n${wayBack(channel, own === '')}\n${own === '' ? '' : `\n${own.trim()}\n`}`;
}

/** Empty for a channel without options. */
function optionsOf({ options = [] }: Channel): string {
  if (options.length === 0) return '';
  const rows = options.map(({ name, rule, help, link }) => [
    `\`${name}\``,
    valuesOf(rule),
    link === undefined ? help : `${help} ([source](${link}))`,
  ]);
  const intro =
    'Set them [beside the activity](../sending.md#options), or as defaults on the integration.';
  return `## Options\n\n${intro}\n\n${table(['option', 'values', 'what it does'], rows)}\n`;
}

function valuesOf(rule: OptionRule): string {
  switch (rule.type) {
    case 'boolean':
      return '`true`, `false`';
    case 'integer': {
      const [min, max] = [rule.min, rule.max].map((limit) => limit.toLocaleString('en'));
      return `${min} to ${max}${rule.unit === undefined ? '' : ` ${rule.unit}`}`;
    }
    case 'choice':
      return rule.choices.map((choice) => `\`${choice}\``).join(', ');
    case 'text':
      return `up to ${rule.maxLength.toLocaleString('en')} characters, such as \`${rule.example}\``;
  }
}

/** What the channel is verified against; a channel with only our emulator says so. */
function verifiedAgainst(name: string): string {
  const judges = JUDGES[name] ?? [];
  const rows = judges.map(({ kind, name: judge, scope, date, test }) => [
    kind === 'our emulator' ? `our emulator, based on ${judge}` : `${kind}: ${judge}`,
    scope,
    date,
    `\`${test.file}\``,
  ]);
  const isAlone = judges.every(({ kind }) => kind === 'our emulator');
  const warning = isAlone
    ? "This channel is verified only against our own emulator, which is as strict as the vendor's documentation. It has not been tested against the vendor's servers.\n\n"
    : '';
  return `## Verified against\n\n${warning}${table(['verified against', 'scope', 'last checked', 'test'], rows)}`;
}

function limitsOf(limits: Channel['limits']): string {
  return `## Limits\n\n${limits.map(({ what, link }) => `- ${what} ([source](${link}))`).join('\n')}\n\n`;
}

function abilities(channel: Channel): string {
  const can = capabilitiesOf(channel);
  const media = (['image', 'video', 'audio', 'document'] as const).filter((kind) => can[kind]);
  const { buttons } = can;
  const whole = channel.renderers === 'whole' ? 'passed on unchanged' : '';
  const rows = [
    ['text', channel.text ? `up to ${longestText(channel.text, true)} per part` : 'yes'],
    ['formatting', yes(can.formatting)],
    ['formatting that plain text may trigger', formatsOf(channel).join(', ') || 'none'],
    ['media', media.length === 0 ? 'as links' : media.join(', ')],
    ['places', yes(can.place)],
    ['buttons', buttons ? kindsOf(buttons) : whole],
    ['button values', buttons?.kinds.includes('reply') ? longestValue(buttons.value) : whole],
    ['cards side by side', can.carousel ? 'yes' : whole],
    ['title', can.title ?? whole],
    [
      'replies, threads',
      [can.reply && 'replies', can.thread && 'threads'].filter(Boolean).join(', '),
    ],
    ['Update, Delete', [can.edit && 'Update', can.remove && 'Delete'].filter(Boolean).join(', ')],
    ['credential check', yes(can.check)],
    ['no duplicates on retry', yes(can.repeats)],
  ];
  return table(
    ['capability', ''],
    rows.map(([name = '', value = '']) => [name, value === '' ? 'no' : value]),
  );
}

const REGISTRATION =
  '`POST /1/integrations/{id}/register` registers this URL with the vendor. If `SWITCHBOARD_PUBLIC_URL` is set, Switchboard does so whenever the\nintegration is created or changed.';

/** How messages arrive; with where to enter the webhook URL, unless the guide says it. */
function wayBack({ hook, listen, page, receipts = [] }: Channel, withSetup: boolean): string {
  const ways = [
    hook &&
      `The vendor sends webhooks to the URL that \`GET /1/integrations/{id}/hook\` returns.${withSetup ? ` ${hook.setup}` : ''}`,
    hook?.register && REGISTRATION,
    listen &&
      'Switchboard keeps a session open and receives messages while the integration is enabled.',
    page && `People write at \`${page}\`, a page that Switchboard serves.`,
    receipts.length > 0 && `Delivery reports: ${receipts.join(', ')}.`,
  ].filter(Boolean);
  const needs = hook?.needs.filter((set) => set.length > 0) ?? [];
  if (needs.length > 0) {
    const sets = needs.map((set) => set.map((one) => `\`${one}\``).join(' and ')).join(', or ');
    ways.push(
      `Without ${sets}, Switchboard refuses all webhook requests, because it cannot verify them.`,
    );
  }
  return ways.length === 0 ? 'This channel is for sending only.' : ways.join('\n\n');
}

function kindsOf({ most, label, kinds }: NonNullable<Capabilities['buttons']>): string {
  return `up to ${most}, with labels of up to ${label} characters: ${kinds.join(', ')}`;
}

function longestValue(value: { most: number; unit: string } | null): string {
  return value ? `up to ${value.most.toLocaleString('en')} ${value.unit}` : 'yes';
}

/** Characters are the unit in the table of all channels, so only bytes are named there. */
function longestText({ max, unit = 'characters' }: TextLimit, isUnitShown = unit === 'bytes') {
  return `${max.toLocaleString('en')}${isUnitShown ? ` ${unit}` : ''}`;
}

const yes = (can: boolean) => (can ? 'yes' : '');

/** A channel is one file or one folder. */
function sourceOf(name: string): string {
  const file = `src/channels/${name}.ts`;
  return existsSync(new URL(`../../${file}`, import.meta.url)) ? file : `src/channels/${name}/`;
}

function guideTo(name: string): string | undefined {
  const file = new URL(`../channels/setup/${name}.md`, import.meta.url);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** `yes` if all kinds are supported; otherwise their names. */
function mediaOf({ image, video, audio, document }: ReturnType<typeof capabilitiesOf>): string {
  if (image && video && audio && document) return 'yes';
  const kinds = { images: image, video, audio, files: document };
  return Object.entries(kinds)
    .flatMap(([kind, can]) => (can ? kind : []))
    .join(', ');
}

/** A channel that passes on the whole activity has no limit. */
const anyOf = ({ renderers }: Channel) => (renderers === 'whole' ? 'any' : '');

/** `base` is the relative path from the table's page to the channel pages. */
export function channelTable(base: string): string {
  const rows = SENDING.map((channel) => {
    const can = capabilitiesOf(channel);
    return [
      `[${channel.title}](${base}${channel.name}.md)`,
      `\`${channel.name}\``,
      channel.text ? longestText(channel.text) : 'any',
      yes(can.formatting),
      mediaOf(can),
      yes(can.place),
      can.buttons ? String(can.buttons.most) : anyOf(channel),
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

/** The kinds of formatting that the product may apply to plain text, for any kind of recipient. */
function formatsOf({ text, recipient }: Channel): string[] {
  const recipients = [recipient.example, 'whatsapp:+15558675310'];
  const rules = recipients.flatMap(
    (each) =>
      text?.formats?.(unstyled('a'), { recipient: each, credentials: {}, options: {} }) ?? [],
  );
  return [...new Set(rules.map(({ as }) => as))];
}

function judgeTable(): string {
  const rows = SENDING.map(({ name, title }) => {
    const { judges, date } = judgesInBrief(name);
    return [`[${title}](${name}.md#verified-against)`, judges, date];
  });
  return table(['channel', 'verified against', 'last checked'], rows);
}

/** The content that degrades, for readers. */
const CONTENT: Readonly<Record<keyof typeof DEGRADED, string>> = {
  image: 'an image',
  video: 'a video',
  audio: 'an audio file',
  document: 'any other file',
  file: 'an image, a video or audio, if the channel has files only',
  place: 'a place',
  buttons: 'buttons',
  value: 'the value of a button, if the button becomes text or opens a URL',
  contact: 'a button with a phone number or an email address',
  formatting: 'formatted text',
  table: 'a table',
  list: 'a list within a list',
  heading: 'a heading',
  language: 'the language of a code block',
  link: 'a link that is not http, https, mailto or tel',
  caption: 'a caption',
  length: 'a text that is too long',
  title: 'a title',
  long_title: 'a title that is too long',
  reply: 'a reply',
  thread: 'a message in a thread',
};
const KINDS = Object.keys(CONTENT) as (keyof typeof DEGRADED)[];

export function channelsPage(notice: string): string {
  const degraded = KINDS.map((what) => [CONTENT[what], DEGRADED[what], `\`${what}\``]);
  const formatting = SENDING.flatMap((channel) => {
    const formats = formatsOf(channel);
    return formats.length === 0
      ? []
      : [[`[${channel.title}](${channel.name}.md)`, formats.join(', ')]];
  });
  const retired = [...RETIRED].map(([name, advice]) => `- \`${name}\`: ${advice}`);
  return `# Channels

${notice}
<!-- From src/channels/, DEGRADED in src/compose/degradations.ts and docs/generate/channel-judges.ts. -->

The \`name\` of an integration is the name of a channel. \`GET /1/channels\` returns this table as JSON.

${channelTable('')}
*text*: the maximum length of one part, in characters unless it says bytes; longer texts are sent in several parts. *places*: locations. *changes*: whether sent messages can be edited or deleted. *no duplicates*: the channel recognizes a message by a key, so a retry after a lost response does not send it twice.

## What degrades, and how

Content that a channel does not support is never dropped silently. It degrades by a fixed rule, the same for all channels, and \`POST /1/message?dry_run=true\` shows the result before anything is sent.

The dry run lists each under \`degraded\`, with its name in \`what\`.

${table(['content', 'becomes', '`what`'], degraded)}
## Plain text

Plain text is sent character for character. If a product formats plain text, Switchboard escapes it the product's way. If the product has no escape, Switchboard sends the text unchanged, and the dry run lists what may be formatted (\`may_be_formatted\`). That happens on these channels:

${table(['channel', 'may be formatted as'], formatting)}
## Verification

What each channel's requests, responses and texts are verified against, and when that was last checked: the test's last run, or, for our emulators, the last comparison with the vendor's documentation. Emulators are as strict as that documentation. Each channel's page has the details.

${judgeTable()}
## Retired channels

${retired.join('\n')}
`;
}

export const CHANNEL_PAGES: readonly Channel[] = SENDING;
