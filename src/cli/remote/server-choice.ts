import type { LocalServer } from '../local/local-server.ts';
import type { RemoteOptions } from './connection.ts';
import { readProfiles } from './profiles.ts';

/** The profile that `quickstart` saves for the local service. */
export const LOCAL_PROFILE = 'quickstart';

/**
 * The service of the local store, started if it is not running; undefined if the user chose a server by profile,
 * environment or login. The profile of an earlier quickstart does not count.
 */
export async function openLocal(
  { profile }: RemoteOptions,
  label: string,
): Promise<LocalServer | undefined> {
  if (profile !== undefined || process.env['SWITCHBOARD_TOKEN']) return undefined;
  if (Object.keys(readProfiles().profiles).some((name) => name !== LOCAL_PROFILE)) return undefined;
  const { openLocalServer } = await import('../local/local-server.ts');
  return openLocalServer(label);
}
