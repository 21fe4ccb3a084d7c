import { type Confirmation, confirm } from '../../confirmation.ts';
import { CliError, EXIT } from '../../exit.ts';
import { print } from '../../print.ts';
import { type RemoteOptions, connectApplication, readId } from '../connection.ts';
import { colored, printJson, visible } from '../format.ts';
import { parseOptions } from '../message-options.ts';
import { readFields } from './credential-fields.ts';

export interface IntegrationOptions extends RemoteOptions {
  field?: string[];
  option?: string[];
  /** False removes it. */
  label?: string | false;
}

/** Changes what is given; the rest stays. Checks new credentials with the channel afterwards. */
export async function updateIntegration(
  text: string,
  { field, option, label, ...options }: IntegrationOptions,
): Promise<void> {
  const { client, id, integration } = await find(text, options);
  const { name, mode, options: defaults } = integration;
  const channel = await client.channels.get(name);
  if (!channel) throw new CliError(`unknown channel "${name}"`, EXIT.notFound);
  await client.integrations.update(id, {
    name,
    ...(field && (await readFields(channel, field))),
    ...(label !== undefined && { label: label === false ? null : label }),
    ...(option && { options: { ...defaults, ...parseOptions(channel, option) } }),
  });
  if (field && mode !== 'sandbox') {
    const { status, detail } = await client.integrations.check(id);
    process.stderr.write(`${colored(status)} ${channel.title}: ${visible(detail)}\n`);
    if (status !== 'ok' && status !== 'unknown') process.exitCode = EXIT.failed;
  }
  if (options.json) return printJson(await client.integrations.get(id, { mask: true }));
  print(`Changed integration ${id} (${name}).`);
}

export async function setIntegrationState(
  text: string,
  state: 'enable' | 'disable',
  options: RemoteOptions,
): Promise<void> {
  const { client, id, integration } = await find(text, options);
  await client.integrations.update(id, { name: integration.name, state });
  if (options.json) return printJson(await client.integrations.get(id, { mask: true }));
  print(`Integration ${id} (${integration.name}) is ${state}d.`);
}

/** Deletes an integration and cancels its queued messages. */
export async function deleteIntegration(
  text: string,
  options: RemoteOptions & Confirmation,
): Promise<void> {
  const { client, id, integration } = await find(text, options);
  const what = `integration ${id} (${integration.name})`;
  await confirm(options, `Delete ${what} and cancel its queued messages?`, id);
  await client.integrations.delete(id);
  if (options.json) return printJson({ deleted: id });
  print(`Deleted ${what}.`);
}

async function find(text: string, options: RemoteOptions) {
  const id = readId(text, 'integration');
  const client = await connectApplication(options);
  return { client, id, integration: await client.integrations.get(id, { mask: true }) };
}
