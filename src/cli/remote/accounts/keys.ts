import { print, printTable } from '../../print.ts';
import { type RemoteOptions, connect, connectApplication, readId } from '../connection.ts';
import { printJson, visible } from '../format.ts';

export interface KeysOptions extends RemoteOptions {
  ofUsers?: true;
  createdBy?: string;
  limit: number;
}

/** Lists keys and tokens, newest first. */
export async function listKeys(options: KeysOptions): Promise<void> {
  const { ofUsers, createdBy, application, limit, json } = options;
  const client = connect(options);
  const keys = ofUsers ? client.userKeys : client.applicationKeys;
  const filter = {
    ...(createdBy !== undefined && { created_by: readId(createdBy, '--created-by') }),
    ...(application !== undefined &&
      !ofUsers && { resource_id: readId(application, '--application') }),
  };
  const listed = await keys.list({ limit: Math.min(limit, 1000), ...filter }).first(limit);
  if (json) return printJson(listed);
  printTable(
    listed.map((key) => ({
      id: key.id,
      [ofUsers ? 'user' : 'application']: key.resource_id,
      purpose: key.purpose,
      label: visible(key.label ?? ''),
      'created by': key.created_by ?? 'operator',
      created: key.created_at,
      'last used': key.last_used_at ?? 'never',
      ends: key.expires_at ?? 'never',
    })),
    false,
  );
}

/** Creates a key for the application, which signs its own tokens with it. The secret is shown only once. */
export async function createKey(options: RemoteOptions & { label?: string }): Promise<void> {
  const acting = await connectApplication(options);
  const { id: applicationId, name } = await acting.applications.me();
  const { label } = options;
  const fields = label === undefined ? {} : { label };
  const key = await acting.applicationKeys.create(applicationId, fields);
  if (options.json) return printJson(key);
  print(`Key of ${visible(name)} (${applicationId}); its secret is not shown again:`);
  print(`id      ${key.id}`);
  print(`secret  ${key.secret}`);
}

/** Revokes keys and all tokens signed with them. */
export async function revokeKeys(
  texts: readonly string[],
  options: RemoteOptions & { ofUsers?: true },
): Promise<void> {
  const ids = texts.map((text) => readId(text, 'key'));
  const client = connect(options);
  const keys = options.ofUsers ? client.userKeys : client.applicationKeys;
  for (const id of ids) await keys.revoke(id);
  if (options.json) return printJson({ revoked: ids });
  print(`Revoked ${ids.join(', ')}.`);
}
