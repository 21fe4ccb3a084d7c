import { text as readAll } from 'node:stream/consumers';

import type { MessageDetail, Outgoing, Preview, Switchboard } from '../../../sdk/src/index.ts';
import { CATEGORIES } from '../../model/sending/consent.ts';
import { COMMAND } from '../command-name.ts';
import { CliError, EXIT } from '../exit.ts';
import { commandLine } from '../parameters.ts';
import { print } from '../print.ts';
import { describeError } from './api-errors.ts';
import { type RemoteOptions, connectApplication } from './connection.ts';
import { colored, isSent, printJson, visible, waitingLine } from './format.ts';
import { optionsLine, parseOptions } from './message-options.ts';
import { routesOf } from './sending/route-flags.ts';
import { templateFrom } from './templates.ts';

export interface SendOptions extends RemoteOptions {
  to: string;
  via?: string;
  text?: string;
  markdown?: true;
  title?: string;
  image?: string;
  document?: string;
  id?: string;
  /** As typed: `name=value`. */
  option?: readonly string[];
  /** An instant, or a local time in `zone`. */
  at?: string;
  zone?: string;
  template?: string;
  language?: string;
  /** As typed: `name=value`. */
  parameter?: readonly string[];
  outsideWindow?: true;
  category?: string;
  /** As typed: `whatsapp,until=read,after=PT2M`. */
  route?: readonly string[];
  dryRun?: true;
  wait?: true;
  timeout: number;
}

/** Sends one message; the text is an option or comes from standard input. */
export async function send(options: SendOptions): Promise<void> {
  const composed = await messageOf(options);
  const client = await connectApplication(options);
  const message = await withOptions(client, composed, options);
  if (options.dryRun) return showPreview(await client.messages.dryRun(message), options);
  const accepted = await client.messages.send(message);
  if (options.wait) return follow(client, accepted.id, options);
  if (options.json) return printJson(accepted);
  const { send_at: sendAt } = accepted;
  if (sendAt !== undefined) return print(`Message ${accepted.id} scheduled for ${sendAt} (UTC).`);
  print(`Message ${accepted.id} accepted. Check it with: ${COMMAND} messages ${accepted.id}`);
}

async function messageOf(options: SendOptions): Promise<Outgoing> {
  const { to, via, title, image, document, id, markdown } = options;
  const templates = templatesOf(options);
  const hasMedia = image !== undefined || document !== undefined || 'template' in templates;
  const text = options.text ?? (hasMedia || process.stdin.isTTY ? undefined : await readInput());
  if (text === undefined && !hasMedia) {
    throw new CliError(
      'message is empty: give --text, --image, --document, --template or standard input',
      EXIT.usage,
    );
  }
  return {
    to,
    ...(via !== undefined && { via }),
    ...(text !== undefined && (markdown ? { markdown: text } : { text })),
    ...(title !== undefined && { title }),
    ...(image !== undefined && { image }),
    ...(document !== undefined && { document }),
    ...(id !== undefined && { id }),
    ...sendAtOf(options),
    ...templates,
    ...categoryOf(options),
    ...routesOf(options.route ?? []),
  };
}

function templatesOf({
  template,
  language,
  parameter = [],
  outsideWindow,
}: SendOptions): Pick<Outgoing, 'template' | 'outsideWindow'> {
  if (template === undefined) {
    if (!outsideWindow) return {};
    throw new CliError('--outside-window needs --template', EXIT.usage);
  }
  const request = templateFrom(template, language, parameter);
  return outsideWindow ? { outsideWindow: request } : { template: request };
}

function categoryOf({ category }: SendOptions): Pick<Outgoing, 'category'> {
  if (category === undefined) return {};
  const found = CATEGORIES.find((one) => one === category);
  if (found) return { category: found };
  throw new CliError(
    `--category: expected one of ${CATEGORIES.join(', ')}, not "${category}"`,
    EXIT.usage,
  );
}

const LOCAL = /^(\d{4}-\d{2}-\d{2}T)?\d{2}:\d{2}$/;

export function sendAtOf({ at, zone }: Pick<SendOptions, 'at' | 'zone'>): Pick<Outgoing, 'sendAt'> {
  if (at === undefined) {
    if (zone === undefined) return {};
    throw new CliError('--zone is the zone of a local time: give --at too', EXIT.usage);
  }
  if (!LOCAL.test(at)) {
    if (zone === undefined) return { sendAt: at };
    throw new CliError('--zone needs a local time in --at, such as 09:00', EXIT.usage);
  }
  const localZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { sendAt: { local: at, zone: zone ?? localZone } };
}

/** The dry run finds the channel, by the same rules as sending, and thereby the types of its options. */
async function withOptions(
  client: Switchboard,
  message: Outgoing,
  { option = [] }: SendOptions,
): Promise<Outgoing> {
  if (option.length === 0) return message;
  const { channel: name } = await client.messages.dryRun(message);
  const channel = await client.channels.get(name);
  return channel ? { ...message, options: parseOptions(channel, option) } : message;
}

async function readInput(): Promise<string | undefined> {
  const input = (await readAll(process.stdin)).trimEnd();
  return input === '' ? undefined : input;
}

/** Waits until the message is sent or failed, which decides the exit code. Prints the reason for the wait. */
async function follow(
  client: Switchboard,
  id: number,
  { timeout, json }: SendOptions,
): Promise<void> {
  const signal = AbortSignal.timeout(timeout * 1000);
  let printed = '';
  const onWait = ({ waiting }: MessageDetail) => {
    const line = waiting && !json ? waitingLine(waiting) : printed;
    if (line !== printed) process.stderr.write(`${line}\n`);
    printed = line;
  };
  const message = await client.messages.settled(id, { signal, onWait }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    throw new CliError(
      `message ${id} not sent after ${timeout} s, delivery continues: ${COMMAND} messages ${id}`,
    );
  });
  if (json) printJson(message);
  else {
    print(`Message ${id} ${colored(message.state)}.`);
    const { error } = message;
    if (error) print(visible(`${error.title}: ${error.detail ?? ''} ${error.help}`));
  }
  if (!isSent(message.state)) process.exitCode = EXIT.failed;
}

function showPreview(preview: Preview, { json }: SendOptions): void {
  if (json) printJson(preview);
  else {
    const { channel, integration_id: integration, parts, degraded, missing, to } = preview;
    const { may_be_formatted: formatted, options, error, send_at: sendAt } = preview;
    print(`To ${visible(to)} through ${channel} (integration ${integration}), not sent:`);
    if (sendAt !== null) print(`Leaves at ${sendAt} (UTC)`);
    if (Object.keys(options).length > 0) print(visible(`Options: ${optionsLine(options)}`));
    if (preview.template) print(visible(templateLine(preview.template)));
    if (preview.window) print(windowLine(preview.window));
    for (const { does, call, content, segments } of parts) {
      print(`${does}${call === null ? '' : ` ${call}`}: ${visible(JSON.stringify(content))}`);
      if (segments !== null) print(visible(segmentsLine(segments)));
    }
    for (const { what, became, why } of degraded) {
      print(visible(`${what}: ${became}, ${why}`));
    }
    for (const { text, as } of formatted) print(visible(`may be shown as ${as}: ${text}`));
    for (const { what, detail } of missing) {
      const text = what === 'recipient' ? detail.replace(/^to\.id /, '--to ') : detail;
      print(`${colored('failed', 'missing')}: ${visible(text)}`);
    }
    if (error && missing.length === 0) {
      const text = describeError(error, commandLine(process.argv));
      print(`${colored('failed', 'refused')}: ${visible(text)}`);
    }
  }
  if (!preview.ready) process.exitCode = EXIT.failed;
}

function templateLine({ name, language, layout }: NonNullable<Preview['template']>): string {
  return `Template: ${name} (${language})${layout ? `: ${layout.body}` : ''}`;
}

function windowLine({ state, until }: NonNullable<Preview['window']>): string {
  return `Window for free text: ${state}${until === null ? '' : ` until ${until}`}`;
}

function segmentsLine({
  count,
  encoding,
  because,
}: NonNullable<Preview['parts'][number]['segments']>): string {
  const reason = because.length === 0 ? '' : `, because of ${because.join(' ')}`;
  return `SMS segments: ${count} in ${encoding}${reason}`;
}
