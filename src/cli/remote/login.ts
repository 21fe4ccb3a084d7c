import { isCancel, password as askPassword, text as askText } from '@clack/prompts';

import { type Switchboard, SwitchboardError } from '../../../sdk/src/index.ts';
import { COMMAND } from '../command-name.ts';
import { CliError, EXIT } from '../exit.ts';
import { print, printTable, readSecret } from '../print.ts';
import { DEFAULT_URL, clientFor, readId } from './connection.ts';
import { printJson, visible } from './format.ts';
import { type Profile, profilesFile, readProfiles, writeProfiles } from './profiles.ts';

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
  const url = options.url ?? (process.env['SWITCHBOARD_URL'] || DEFAULT_URL);
  const token = options.token ?? (await signIn(url, options.email));
  const applicationId =
    application === undefined ? undefined : readId(application, '--application');
  const identity = await identityOf(clientFor({ url, token }, applicationId), applicationId);
  const profile: Profile = {
    url,
    token,
    ...(applicationId !== undefined && { application: applicationId }),
  };
  const { profiles } = readProfiles();
  writeProfiles({ current: name, profiles: { ...profiles, [name]: profile } });
  if (options.json) return printJson({ profile: name, url, as: identity });
  print(
    `Logged in to ${url} as ${visible(identity)}. Saved the profile "${name}" in ${profilesFile()}.`,
  );
}

/** Revokes the token and deletes the profile. */
export async function logout({ profile: requested }: { profile?: string }): Promise<void> {
  const { current, profiles } = readProfiles();
  const name = requested ?? current;
  const { [name]: removed, ...rest } = profiles;
  if (!removed) throw new CliError(`unknown profile "${name}"`, EXIT.notFound);
  const refusal = await revoke(removed);
  const [first = 'default'] = Object.keys(rest);
  writeProfiles({ current: name === current ? first : current, profiles: rest });
  print(
    refusal === undefined
      ? `Logged out of ${removed.url}: revoked the token and deleted the profile "${name}".`
      : `Deleted the profile "${name}". Its token was not revoked: ${visible(refusal)}.`,
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
  if (rows.length === 0 && !json) return print(`None. Log in with: ${COMMAND} login`);
  printTable(rows, json);
}

async function signIn(url: string, address: string | undefined): Promise<string> {
  const isTerminal = process.stdin.isTTY;
  if (!isTerminal && address === undefined) {
    throw new CliError('give --token, or --email with the password on standard input', EXIT.usage);
  }
  const email = address ?? requireAnswer(await askText({ message: 'Email' }));
  const password = isTerminal
    ? requireAnswer(await askPassword({ message: 'Password' }))
    : await readSecret('Password');
  const { token } = await clientFor({ url }).tokens.signIn({ email, password });
  return token;
}

function requireAnswer(answer: string | symbol | undefined): string {
  if (answer === undefined || isCancel(answer)) throw new CliError('canceled, nothing changed');
  return String(answer);
}

/** Name of the user or application of the token. */
async function identityOf(client: Switchboard, applicationId: number | undefined): Promise<string> {
  try {
    const { name } = await client.users.me();
    return applicationId === undefined
      ? name
      : `${name}, for ${(await client.applications.me()).name}`;
  } catch (error) {
    const isApplicationToken =
      error instanceof SwitchboardError && error.code === 'wrong_token_kind';
    if (!isApplicationToken) throw error;
    const { name, id } = await client.applications.me();
    return `application ${name} (${id})`;
  }
}

/** Revokes the key named in `iss`. Returns why it could not. */
async function revoke({ url, token }: Profile): Promise<string | undefined> {
  try {
    const [, claims = ''] = token.split('.');
    const { iss } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iss?: unknown };
    await clientFor({ url, token }).userKeys.revoke(Number(iss), { timeout: 5_000, retries: 0 });
    return undefined;
  } catch (error) {
    if (!(error instanceof SwitchboardError)) return 'the profile contains no valid token';
    return error.code === 'wrong_token_kind'
      ? 'an application token cannot revoke itself'
      : error.detail;
  }
}
