import type { Channel, ChannelGuide } from '../../../sdk/src/index.ts';
import { CliError, EXIT } from '../exit.ts';
import { print, printTable } from '../print.ts';
import {
  type RemoteOptions,
  DEFAULT_URL,
  clientFor,
  connect,
  connectApplication,
  readId,
} from './connection.ts';
import { colored, printJson, visible } from './format.ts';
import { optionsLine, valuesOf } from './message-options.ts';

/* Lists of applications, integrations and channels. */

export async function listApplications(options: RemoteOptions): Promise<void> {
  const applications = await connect(options).applications.list().all();
  if (options.json) return printJson(applications);
  printTable(
    applications.map(({ id, name, state, created_at: created, webhook_url: webhook }) => {
      return { id, name, state, created, webhook: webhook ?? '' };
    }),
    false,
  );
}

export async function listIntegrations(options: RemoteOptions): Promise<void> {
  const client = await connectApplication(options);
  const integrations = await client.integrations.list({ mask: true }).all();
  if (options.json) return printJson(integrations);
  printTable(
    integrations.map((integration) => {
      const { id, name, state, created_at: created, label = '', account = '' } = integration;
      const { username = '', address = '' } = integration;
      return {
        id,
        channel: name,
        label: visible(label),
        account: visible(account),
        state,
        mode: integration.mode ?? 'live',
        created,
        username,
        address,
        options: optionsLine(integration.options),
      };
    }),
    false,
  );
}

/** Reports of an integration that produced no event. */
export async function listIgnored(id: string, options: RemoteOptions): Promise<void> {
  const client = await connectApplication(options);
  const reports = await client.integrations.ignored(readId(id, 'integration')).all();
  if (options.json) return printJson(reports);
  printTable(
    reports.map(({ type, reason, count, first_at: first, last_at: last }) => {
      return { type, reason, count, first, last };
    }),
    false,
  );
}

/** Checks the credentials of one integration, or of all. */
export async function checkIntegrations(
  integration: string | undefined,
  options: RemoteOptions,
): Promise<void> {
  const client = await connectApplication(options);
  const integrations =
    integration === undefined
      ? await client.integrations.list({ mask: true }).all()
      : [await client.integrations.get(readId(integration, 'integration'), { mask: true })];
  const results = [];
  for (const { id, name, label } of integrations) {
    const identity = { id, channel: name, ...(label !== undefined && { label }) };
    results.push({ ...identity, ...(await client.integrations.check(id)) });
  }
  if (options.json) printJson(results);
  else
    for (const { id, channel, label, status, detail } of results) {
      const title = label === undefined ? `${channel} (${id})` : `${label} (${channel} ${id})`;
      print(`${colored(status, status.padEnd(11))} ${visible(title)}: ${visible(detail)}`);
    }
  const isOk = results.every(({ status }) => status === 'ok' || status === 'unknown');
  if (!isOk) process.exitCode = EXIT.failed;
}

export interface ChannelsOptions extends RemoteOptions {
  guide?: true;
}

/** Listing channels needs no token. */
export async function showChannels(
  name: string | undefined,
  options: ChannelsOptions,
): Promise<void> {
  const url = process.env['SWITCHBOARD_URL'] || DEFAULT_URL;
  const client = hasProfile(options) ? connect(options) : clientFor({ url });
  if (name !== undefined) {
    const channel = await client.channels.get(name);
    if (!channel)
      throw new CliError(`unknown channel "${name}"; "channels" lists them`, EXIT.notFound);
    if (options.guide) {
      const guide = await client.channels.guide(channel.name);
      return options.json ? printJson(guide) : showGuide(channel, guide);
    }
    return options.json ? printJson(channel) : showChannel(channel);
  }
  if (options.guide) throw new CliError('--guide needs the name of a channel', EXIT.usage);
  const channels = await client.channels.list();
  if (options.json) return printJson(channels);
  printTable(
    channels.map(({ name: channel, title, can, needs }) => ({
      name: channel,
      title,
      text: can.text ?? 'any',
      receives: can.receive.join(', '),
      needs: needs.map((set) => set.join('+')).join(' or '),
    })),
    false,
  );
}

function hasProfile(options: RemoteOptions): boolean {
  try {
    connect(options);
    return true;
  } catch (error) {
    if (options.profile !== undefined) throw error;
    return false;
  }
}

function showChannel(channel: Channel): void {
  const { name, title, docs, recipient, credentials, options, limits, can } = channel;
  print(`${title} (${name}), ${docs}`);
  print(`Recipient: ${recipient.form}, such as ${recipient.example}`);
  print(`\nFields:`);
  for (const { name: field, label, help, required, secret } of credentials) {
    const flags = [required ? 'needed' : '', secret ? 'secret' : ''].filter(Boolean).join(', ');
    print(`  ${field.padEnd(15)} ${label}${flags === '' ? '' : ` (${flags})`}: ${help}`);
  }
  if (options.length > 0) print('\nOptions of a message (--option):');
  for (const option of options) {
    print(`  ${option.name.padEnd(15)} ${option.label} (${valuesOf(option)}): ${option.help}`);
  }
  const features = Object.entries(can).filter(
    ([, value]) => value === true || (value && typeof value === 'object' && !Array.isArray(value)),
  );
  print(`\nSupports: ${features.map(([feature]) => feature).join(', ')}`);
  if (limits.length > 0) print('\nLimits:');
  for (const { what, link } of limits) print(`  ${what} (${link})`);
}

function showGuide({ title, dashboard }: Channel, guide: ChannelGuide): void {
  print(dashboard === null ? title : `${title}, ${dashboard}`);
  for (const [heading, blocks] of [
    [undefined, guide.setup],
    ['Receiving', guide.receiving],
    ['Troubleshooting', guide.troubleshooting],
  ] as const) {
    if (heading !== undefined && blocks.length > 0) print(`\n${heading}:`);
    let last: number | null = null;
    for (const { type, step, text } of blocks) {
      const lines = text.map((run) => run.text).join('');
      const mark = step === null ? (type === 'item' ? '-' : '') : step === last ? '' : `${step}.`;
      last = step;
      for (const [i, line] of lines.split('\n').entries()) {
        print(`${(i === 0 ? mark : '').padEnd(step === null && type !== 'item' ? 0 : 3)}${line}`);
      }
    }
  }
}
