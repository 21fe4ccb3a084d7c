import type { ApplicationChange } from '../../../../sdk/src/index.ts';
import { COMMAND } from '../../command-name.ts';
import { type Confirmation, confirm } from '../../confirmation.ts';
import { print } from '../../print.ts';
import { type RemoteOptions, connect, readId } from '../connection.ts';
import { printJson, visible } from '../format.ts';

export interface NewApplicationOptions extends RemoteOptions {
  webhook?: string;
}

export interface ApplicationOptions extends RemoteOptions {
  name?: string;
  /** False removes it. */
  webhook?: string | false;
}

/** Creates an application that belongs to the caller and their team. */
export async function createApplication(
  name: string,
  options: NewApplicationOptions,
): Promise<void> {
  const client = connect(options);
  const { id: owner_id, team_id } = await client.users.me();
  const application = await client.applications.create({
    team_id,
    owner_id,
    state: 'enable',
    name,
    ...(options.webhook !== undefined && { webhook_url: options.webhook }),
  });
  if (options.json) return printJson(application);
  const { id } = application;
  print(`Created application ${visible(application.name)} (${id}).`);
  print(`Next: ${COMMAND} integrations add CHANNEL --application ${id}`);
}

/** Changes only the given fields. */
export async function updateApplication(
  text: string,
  { name, webhook, ...options }: ApplicationOptions,
): Promise<void> {
  await change(text, options, {
    ...(name !== undefined && { name }),
    ...(webhook !== undefined && { webhook_url: webhook === false ? null : webhook }),
  });
}

export async function setApplicationState(
  text: string,
  state: 'enable' | 'disable',
  options: RemoteOptions,
): Promise<void> {
  await change(text, options, { state });
}

async function change(
  text: string,
  options: RemoteOptions,
  fields: ApplicationChange,
): Promise<void> {
  const id = readId(text, 'application');
  const client = connect(options);
  await client.applications.update(id, fields);
  const application = await client.applications.get(id);
  if (options.json) return printJson(application);
  const { name, state, webhook_url: webhook } = application;
  print(`Application ${visible(name)} (${id}): ${state}d, webhook ${webhook ?? 'none'}.`);
}

/** Deletes an application with its keys, integrations and messages. */
export async function deleteApplication(
  text: string,
  options: RemoteOptions & Confirmation,
): Promise<void> {
  const id = readId(text, 'application');
  const client = connect(options);
  const { name } = await client.applications.get(id);
  await confirm(options, `Delete application ${visible(name)} with all its messages?`, id);
  await client.applications.delete(id);
  if (options.json) return printJson({ deleted: id });
  print(`Deleted application ${visible(name)} (${id}).`);
}
