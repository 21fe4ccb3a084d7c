import type { Id } from '../../model/id.ts';
import type { Store } from '../../store/store.ts';

/**
 * The key under which the consent of an address is stored. If the person was erased, it is a digest of the address.
 * Applications without erasures have no secret and need no lookup.
 */
export async function storedConsentKey(
  store: Store,
  applicationId: Id,
  secret: Buffer,
  key: string,
): Promise<string> {
  const digests = await store.consentDigests.find(applicationId, [key], { secret });
  return digests.get(key) ?? key;
}
