import type { Channel } from '../channels/channel.ts';
import { CREDENTIALS, type Credentials, type Integration } from '../model/integration.ts';
import { Problem, invalidFields } from '../model/problem.ts';
import { accountOf, changedCredentials, missingFrom } from './channel-credentials.ts';
import type { Services } from './services.ts';

/* The sandbox mode of an integration, and its switch to live. */

type IntegrationInput = { mode?: Integration['mode'] | null } & {
  [Name in keyof Credentials]?: string | null | undefined;
};

type Access = Pick<Integration, 'mode' | 'credentials' | 'account'>;

/** The problems with which a change of the mode can be refused. */
export const MODE_PROBLEMS = [
  'sandbox_off',
  'no_simulator',
  'mode_fixed',
  'integration_incomplete',
  'check_failed',
] as const;

export const modeFixed = (why = 'a live integration cannot return to the sandbox') =>
  new Problem('mode_fixed', why);

/** The simulator's credentials. Throws if the channel has no simulator, or if others are given. */
export async function sandboxCredentials(
  { sandbox }: Pick<Services, 'sandbox'>,
  name: string,
  given: IntegrationInput,
): Promise<Credentials> {
  const supplied = CREDENTIALS.filter((field) => given[field]);
  if (supplied.length > 0) {
    const detail = 'must not be set in the sandbox, which needs no credentials';
    throw invalidFields(...supplied.map((field) => ({ pointer: `/${field}`, detail })));
  }
  const credentials = await sandbox?.credentialsOf(name);
  if (credentials) return credentials;
  if (!sandbox) throw new Problem('sandbox_off', 'this service has no sandbox');
  throw new Problem('no_simulator', `the sandbox does not simulate ${name} yet`);
}

/**
 * The mode and credentials after a change; undefined if it concerns a live integration only. Going live needs
 * credentials that the vendor accepts, and no waiting messages.
 */
export async function nextAccess(
  services: Pick<Services, 'store' | 'delivery' | 'sandbox' | 'stats'>,
  before: Integration,
  channel: Channel,
  given: IntegrationInput,
): Promise<Access | undefined> {
  if (before.mode === 'live') {
    if (given.mode === 'sandbox') throw modeFixed();
    return undefined;
  }
  if (given.mode !== 'live') {
    const isSame = channel.name === before.name;
    const credentials = await sandboxCredentials(services, channel.name, given);
    return {
      mode: 'sandbox',
      credentials: isSame ? before.credentials : credentials,
      account: isSame ? before.account : null,
    };
  }
  return goLive(services, before, channel, given);
}

async function goLive(
  { store, delivery, stats }: Pick<Services, 'store' | 'delivery' | 'stats'>,
  { applicationId, id }: Integration,
  channel: Channel,
  given: IntegrationInput,
): Promise<Access> {
  const credentials = changedCredentials({}, given);
  const incomplete = missingFrom(channel.name, channel, credentials);
  if (incomplete) throw new Problem('integration_incomplete', incomplete.detail);
  if (await store.lanes.hasMessages(applicationId, id)) {
    throw modeFixed('messages of the integration are still waiting; cancel them, or wait');
  }
  const { check, renewed } = await delivery.checkCredentials(channel, credentials, undefined);
  if (check && check.outcome !== 'known') throw new Problem('check_failed', check.detail);
  // Counts get the mode that the integration has when they are stored.
  await stats.flush();
  return { mode: 'live', credentials: { ...credentials, ...renewed }, account: accountOf(check) };
}
