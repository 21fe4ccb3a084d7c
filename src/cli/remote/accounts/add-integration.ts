import { confirm, isCancel, password, select, text } from '@clack/prompts';

import type { Channel, Check, Switchboard } from '../../../../sdk/src/index.ts';
import { COMMAND } from '../../command-name.ts';
import { CliError, EXIT } from '../../exit.ts';
import { print } from '../../print.ts';
import { type RemoteOptions, connectApplication } from '../connection.ts';
import { colored, printJson, visible } from '../format.ts';
import { parseOptions } from '../message-options.ts';
import {
  type Credentials,
  type Field,
  generate,
  missingIn,
  readFields,
} from './credential-fields.ts';

export interface AddOptions extends RemoteOptions {
  field?: string[];
  option?: string[];
  label?: string;
  force?: true;
  sandbox?: true;
}

/** Adds an integration once the channel accepted its credentials. Prompts on a terminal. */
export async function addIntegration(name: string, options: AddOptions): Promise<void> {
  const client = await connectApplication(options);
  const channel = await client.channels.get(name);
  if (!channel) {
    throw new CliError(`unknown channel "${name}"; "channels" lists them`, EXIT.notFound);
  }
  const fields = await readFields(channel, options.field ?? []);
  const defaults = options.option && parseOptions(channel, options.option);
  const { id } = await client.integrations.create({
    name: channel.name,
    ...(options.sandbox ? { ...fields, mode: 'sandbox' } : await checked()),
    ...(options.label !== undefined && { label: options.label }),
    ...(defaults && { options: defaults }),
  });
  // The response of `create` contains the secrets.
  const integration = await client.integrations.get(id, { mask: true });
  if (options.json) return printJson(integration);
  print(`Added ${channel.title} as integration ${id}${options.sandbox ? ' in the sandbox' : ''}.`);
  if (!options.sandbox) await printHook(client, channel, id);
  print(
    `Next: ${COMMAND} send --via ${id} --to ${channel.recipient.example} --text 'Hello' --application ${integration.application_id}`,
  );

  async function checked(): Promise<Credentials> {
    if (!channel) return {};
    const read = isPrompting(channel, fields) ? promptAndCheck : checkFields;
    return read(client, channel, fields, options.force ?? false);
  }
}

/** Scripts give all fields as flags; a person at a terminal is asked for the missing ones. */
function isPrompting(channel: Channel, fields: Credentials): boolean {
  return process.stdin.isTTY && process.stderr.isTTY && missingIn(channel, fields).length > 0;
}

async function checkFields(
  client: Switchboard,
  channel: Channel,
  fields: Credentials,
  isForced: boolean,
): Promise<Credentials> {
  const missing = missingIn(channel, fields);
  if (missing.length > 0) {
    const flags = missing.map(
      (name) => `--field ${name}=${isSecret(channel, name) ? '@FILE' : '…'}`,
    );
    throw new CliError(`${channel.title} also needs ${flags.join(' ')}`, EXIT.usage);
  }
  const { status, detail, renewed } = await client.channels.check(channel.name, fields);
  if (!isAccepted(status) && !isForced) {
    throw new CliError(
      `${channel.title}: ${visible(detail)} (${status}). Correct the fields, or add it anyway with --force.`,
    );
  }
  showCheck(channel, { status, detail });
  return { ...fields, ...renewed };
}

async function promptAndCheck(
  client: Switchboard,
  channel: Channel,
  fields: Credentials,
  isForced: boolean,
): Promise<Credentials> {
  process.stderr.write(`${channel.title}: ${channel.summary}\nSetup guide: ${channel.docs}\n`);
  const set = await chooseSet(channel);
  for (;;) {
    const credentials = { ...fields };
    for (const field of channel.credentials) {
      if (fields[field.name] !== undefined) continue;
      const value = await prompt(field, set.includes(field.name));
      if (value !== '') credentials[field.name] = value;
    }
    const { status, detail, renewed } = await client.channels.check(channel.name, credentials);
    showCheck(channel, { status, detail });
    if (isAccepted(status) || isForced) return { ...credentials, ...renewed };
    const again = await confirm({ message: 'Enter the values again?', ...OUTPUT });
    if (isCancel(again) || !again) throw new CliError('canceled, nothing changed');
  }
}

/** The credentials to ask for, if the channel takes one set or another. */
async function chooseSet({ needs }: Channel): Promise<readonly string[]> {
  const [first = [], ...others] = needs;
  if (others.length === 0) return first;
  const chosen = await select({
    message: 'Credentials',
    options: needs.map((set, i) => ({ value: i, label: set.join(' and ') })),
    ...OUTPUT,
  });
  if (isCancel(chosen)) throw new CliError('canceled, nothing changed');
  return needs[chosen] ?? first;
}

async function prompt(field: Field, isNeeded: boolean): Promise<string> {
  const { label, help, secret, generate: form } = field;
  const note = isNeeded ? '' : form ? ' (empty: a random value)' : ' (optional)';
  const message = `${label}${note}\n  ${help}`;
  const validate = (value: string | undefined) =>
    isNeeded && (value ?? '').trim() === '' ? 'Required.' : undefined;
  const answer = secret
    ? await password({ message, validate, ...OUTPUT })
    : await text({ message, validate, ...OUTPUT });
  if (isCancel(answer)) throw new CliError('canceled, nothing changed');
  const value = (answer ?? '').trim();
  return value === '' && form ? generate(form) : value;
}

/** Standard output is for the result. */
const OUTPUT = { output: process.stderr };

const isSecret = ({ credentials }: Channel, name: string) =>
  credentials.some((field) => field.name === name && field.secret);

const isAccepted = (status: Check['status']) => status === 'ok' || status === 'unknown';

function showCheck({ title }: Channel, { status, detail }: Pick<Check, 'status' | 'detail'>): void {
  process.stderr.write(`${colored(status)} ${title}: ${visible(detail)}\n`);
}

async function printHook(client: Switchboard, channel: Channel, id: number): Promise<void> {
  if (!channel.hook) return;
  const { url, setup } = await client.integrations.hook(id);
  if (url === null) return;
  print(`Webhook URL: ${url}`);
  if (setup !== null) print(visible(setup));
}
