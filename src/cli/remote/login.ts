import { isCancel, password as askPassword, text as askText } from '@clack/prompts';

import { type Switchboard, SwitchboardError } from '../../../sdk/src/index.ts';
import { CliError, EXIT } from '../exit.ts';
import { print, printTable, readSecret } from '../print.ts';
import { USUAL_URL, clientFor, readId } from './connection.ts';
import { type Profile, profilesFile, readProfiles, writeProfiles } from './profiles.ts';
import { printJson, visible } from './show.ts';

export interface LoginOptions {
  url?: string;
  token?: string;
  email?: string;
  application?: string;
  profile?: string;
  json?: true;
}

/** Saves a profile once it is known to work. */
export async function login(options: LoginOptions): Promise<void> {
  const { profile: name = 'default', application } = options;
  const url = options.url ?? (process.env['SWITCHBOARD_URL'] || USUAL_URL);
  const token = options.token ?? (await signIn(url, options.email));
  const acting = application === undefined ? undefined : readId(application, '--application');
  const who = await whoIs(clientFor({ url, token }, acting), acting);
  const profile: Profile = { url, token, ...(acting !== undefined && { application: acting }) };
  const { profiles } = readProfiles();
  writeProfiles({ current: name, profiles: { ...profiles, [name]: profile } });
  if (options.json) return printJson({ profile: name, url, as: who });
  print(
    `Logged in to ${url} as ${visible(who)}. Saved the profile "${name}" in ${profilesFile()}.`,
  );
}

/** Revokes the token and deletes the profile. */
export async function logout({ profile: named }: { profile?: string }): Promise<void> {
  const { current, profiles } = readProfiles();
  const name = named ?? current;
  const { [name]: gone, ...rest } = profiles;
  if (!gone) throw new CliError(`unknown profile "${name}"`, EXIT.notFound);
  const revoked = await revoke(gone);
  const [first = 'default'] = Object.keys(rest);
  writeProfiles({ current: name === current ? first : current, profiles: rest });
  print(
    revoked
      ? `Logged out of ${gone.url}: revoked the token and deleted the profile "${name}".`
      : `Deleted the profile "${name}". Its token still works: an application token cannot revoke itself.`,
  );
}

export function listProfiles({ json = false }: { json?: boolean }): void {
  const { current, profiles } = readProfiles();
  const rows = Object.entries(profiles).map(([name, { url, application }]) => ({
    name,
    current: name === current ? 'yes' : '',
    url,
    application: application ?? '',
  }));
  if (rows.length === 0 && !json) return print('None. Log in with: switchboard login');
  printTable(rows, json);
}

async function signIn(url: string, given: string | undefined): Promise<string> {
  const isTerminal = process.stdin.isTTY;
  if (!isTerminal && given === undefined) {
    throw new CliError('give --token, or --email with the password on standard input', EXIT.usage);
  }
  const email = given ?? answered(await askText({ message: 'Email' }));
  const password = isTerminal
    ? answered(await askPassword({ message: 'Password' }))
    : await readSecret('Password');
  const { token } = await clientFor({ url }).tokens.signIn({ email, password });
  return token;
}

function answered(answer: string | symbol | undefined): string {
  if (answer === undefined || isCancel(answer)) throw new CliError('canceled, nothing changed');
  return String(answer);
}

/** Name of the user or application of the token. */
async function whoIs(client: Switchboard, acting: number | undefined): Promise<string> {
  try {
    const { name } = await client.users.me();
    return acting === undefined ? name : `${name}, for ${(await client.applications.me()).name}`;
  } catch (error) {
    const isOther = error instanceof SwitchboardError && error.code === 'wrong_token_kind';
    if (!isOther) throw error;
    const { name, id } = await client.applications.me();
    return `application ${name} (${id})`;
  }
}

/** Revokes the key named in `iss`. Returns whether that succeeded. */
async function revoke({ url, token }: Profile): Promise<boolean> {
  try {
    const [, claims = ''] = token.split('.');
    const { iss } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iss?: unknown };
    await clientFor({ url, token }).userKeys.revoke(Number(iss), { timeout: 5_000, retries: 0 });
    return true;
  } catch {
    return false;
  }
}
