import { Switchboard, SwitchboardError } from '../../sdk/src/index.ts';
import { parseId } from '../model/id.ts';
import { CliError, EXIT } from './exit.ts';
import { type Profile, readProfiles } from './profiles.ts';

/** What every command that calls a server can be told. */
export interface RemoteOptions {
  profile?: string;
  application?: string;
  json?: true;
}

/** A client of the server that is meant: by a profile that is named, by the environment, or by the current profile. */
export function connect(options: RemoteOptions): Switchboard {
  const { url, token, application } = chosen(options);
  return clientFor({ url, token }, applicationIn(options) ?? application);
}

/** The same, for what takes an application: of a token of a user, the one that is named or the only one. */
export async function connectApplication(options: RemoteOptions): Promise<Switchboard> {
  const profile = chosen(options);
  const named = applicationIn(options) ?? profile.application;
  if (named !== undefined) return clientFor(profile, named);
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
      ? 'you have several applications: name one with --application ("applications" lists them)'
      : 'there is no application yet: make one with POST /1/applications, or in the console',
    EXIT.usage,
  );
}

/** A client, or words about what it cannot be made with. */
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

/** Where a server is unless anything else is said. */
export const USUAL_URL = 'http://localhost:8080';

function chosen({ profile: named }: RemoteOptions): Profile {
  const { SWITCHBOARD_URL: url, SWITCHBOARD_TOKEN: token } = process.env;
  if (named === undefined && token) return { url: url || USUAL_URL, token };
  const { current, profiles } = readProfiles();
  const name = named ?? (process.env['SWITCHBOARD_PROFILE'] || current);
  const found = profiles[name];
  if (found) return url && named === undefined ? { ...found, url } : found;
  throw new CliError(
    Object.keys(profiles).length > 0
      ? `there is no profile "${name}"; "profiles" lists them`
      : 'you are not logged in: switchboard login, or set SWITCHBOARD_URL and SWITCHBOARD_TOKEN',
    EXIT.usage,
  );
}

function applicationIn({ application }: RemoteOptions): number | undefined {
  return application === undefined ? undefined : readId(application, '--application');
}

/** An id as it was typed. */
export function readId(text: string, what: string): number {
  const id = parseId(text);
  if (id) return id;
  throw new CliError(`${what}: an id is a whole number, not "${text}"`, EXIT.usage);
}
