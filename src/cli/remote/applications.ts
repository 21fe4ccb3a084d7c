import { print } from '../print.ts';
import { type RemoteOptions, connect } from './connection.ts';
import { printJson, visible } from './format.ts';

export interface NewApplicationOptions extends RemoteOptions {
  webhook?: string;
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
  print(`Next: switchboard integrations add CHANNEL --application ${id}`);
}
