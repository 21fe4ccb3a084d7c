import { print, printTable } from '../print.ts';
import { type RemoteOptions, connect, readId } from './connection.ts';
import { printJson, visible } from './show.ts';

export interface KeysOptions extends RemoteOptions {
  ofUsers?: true;
  createdBy?: string;
  limit: number;
}

/** Lists keys and tokens, newest first. */
export async function listKeys(options: KeysOptions): Promise<void> {
  const { ofUsers, createdBy, limit, json } = options;
  const client = connect(options);
  const keys = ofUsers ? client.userKeys : client.applicationKeys;
  const filter = createdBy === undefined ? {} : { created_by: readId(createdBy, '--created-by') };
  const found = await keys.list({ limit: Math.min(limit, 1000), ...filter }).first(limit);
  if (json) return printJson(found);
  printTable(
    found.map((key) => ({
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
