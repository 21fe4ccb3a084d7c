import { Switchboard, SwitchboardError } from '../../../sdk/src/index.ts';
import { parseId } from '../../model/id.ts';
import { COMMAND } from '../command-name.ts';
import { CliError, EXIT } from '../exit.ts';
import { type Profile, readProfiles } from './profiles.ts';

/** Options of all remote commands. */
export interface RemoteOptions {
  profile?: string;
  application?: string;
  json?: true;
}

/** A client for the named profile, the environment, or the current profile. */
export function connect(options: RemoteOptions): Switchboard {
  const { url, token, application } = selectProfile(options);
  return clientFor({ url, token }, applicationIn(options) ?? application);
}

/** A client that acts for an application: with a user token, the named one or the only one. */
export async function connectApplication(options: RemoteOptions): Promise<Switchboard> {
  const profile = selectProfile(options);
  const application = applicationIn(options) ?? profile.application;
  if (application !== undefined) return clientFor(profile, application);
  const client = clientFor(profile);
  try {
    await client.applications.me();
    return client;
  } catch (error) {
    if (!(error instanceof SwitchboardError) || error.code !== 'wrong_token_kind') throw error;
  }
  const [only, ...others] = await client.applications.list().first(2);
  if (only && others.length === 0) return client.actFor(only.id);
  throw new CliError(
    only
      ? 'several applications found: choose one with --application ("applications" lists them)'
      : 'no application yet: create one with "applications create NAME"',
    EXIT.usage,
  );
}

/** Turns invalid client options into a usage error. */
export function clientFor(
  { url, token }: Pick<Profile, 'url'> & { token?: string },
  application?: number,
): Switchboard {
  try {
    return new Switchboard({
      url,
      ...(token !== undefined && { token }),
      ...(application !== undefined && { application }),
    });
  } catch (error) {
    throw new CliError((error as Error).message.replace(/^Switchboard: /, ''), EXIT.usage);
  }
}

/** The URL of the server that `connect` uses. */
export function serverUrl(options: RemoteOptions): string {
  return selectProfile(options).url;
}

export const DEFAULT_URL = 'http://localhost:8080';

function selectProfile({ profile: requested }: RemoteOptions): Profile {
  const { SWITCHBOARD_URL: url, SWITCHBOARD_TOKEN: token } = process.env;
  if (requested === undefined && token) return { url: url || DEFAULT_URL, token };
  const { current, profiles } = readProfiles();
  const name = requested ?? (process.env['SWITCHBOARD_PROFILE'] || current);
  const profile = profiles[name];
  if (profile) return url && requested === undefined ? { ...profile, url } : profile;
  throw new CliError(
    Object.keys(profiles).length > 0
      ? `unknown profile "${name}"; "profiles" lists them`
      : `not logged in: run ${COMMAND} login, or set SWITCHBOARD_URL and SWITCHBOARD_TOKEN (on the server, ${COMMAND} token prints one)`,
    EXIT.usage,
  );
}

function applicationIn({ application }: RemoteOptions): number | undefined {
  return application === undefined ? undefined : readId(application, '--application');
}

/** Parses an id from the command line. */
export function readId(text: string, what: string): number {
  const id = parseId(text);
  if (id) return id;
  throw new CliError(`${what}: expected a whole number, not "${text}"`, EXIT.usage);
}
