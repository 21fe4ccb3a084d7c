import type { ApplicationPrincipal } from '../model/account.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Store } from '../store/store.ts';

/** Whose feed it is, and which key lets them in. */
export type Holder = Pick<ApplicationPrincipal, 'applicationId' | 'keyId'>;

/**
 * Tells which of the holders may still listen: their key, the user or application it speaks for, and the application whose
 * feed it is are enabled, and the key has not expired. Two statements, however many there are.
 */
export async function holdersInForce(
  { keys, applications }: Store,
  holders: readonly Holder[],
  now: Millis,
): Promise<(holder: Holder) => boolean> {
  const teamsOfKeys = await keys.inForce(new Set(holders.map(({ keyId }) => keyId)), now);
  const teams = await applications.enabled(
    new Set(holders.map(({ applicationId }) => applicationId)),
  );
  return ({ keyId, applicationId }) => {
    const team = teamsOfKeys.get(keyId);
    return team !== undefined && team === teams.get(applicationId);
  };
}
