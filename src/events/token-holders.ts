import type { ApplicationPrincipal } from '../model/account.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Store } from '../store/store.ts';

/** The owner of a feed, and the key in use. */
export type Holder = Pick<ApplicationPrincipal, 'applicationId' | 'keyId'>;

/**
 * Returns a function that tells whether a holder may still listen: the key is valid, and the user or application of the
 * key and the application of the feed are enabled. Takes two statements for any number of holders.
 */
export async function holderValidator(
  { keys, applications }: Store,
  holders: readonly Holder[],
  now: Millis,
): Promise<(holder: Holder) => boolean> {
  const teamsOfKeys = await keys.listValid(new Set(holders.map(({ keyId }) => keyId)), now);
  const teams = await applications.enabled(
    new Set(holders.map(({ applicationId }) => applicationId)),
  );
  return ({ keyId, applicationId }) => {
    const team = teamsOfKeys.get(keyId);
    return team !== undefined && team === teams.get(applicationId);
  };
}
