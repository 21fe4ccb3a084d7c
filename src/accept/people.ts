import type { InboundEvent, Party } from '../channels/inbound.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Store } from '../store/store.ts';
import type { Receiver } from './inbound-events.ts';

/**
 * Identifies people with several addresses by the address of their first message: a person who hides their phone number
 * stays the same `actor`. Events list their other addresses.
 */
export async function resolveIdentities(
  store: Store,
  { id: integrationId, applicationId }: Receiver,
  inboundEvents: readonly InboundEvent[],
  now: Millis,
): Promise<readonly InboundEvent[]> {
  const parties = inboundEvents.flatMap(partiesIn);
  if (parties.length === 0) return inboundEvents;
  const people = parties.map(({ id, otherAddresses = [] }) => [id, ...otherAddresses]);
  const identities = await store.aliases.resolve({ applicationId, integrationId }, people, now);
  const canonicalIds = new Map(parties.map((party, i) => [party, identities[i] ?? party.id]));
  return inboundEvents.map((inboundEvent) => withCanonicalIds(inboundEvent, canonicalIds));
}

/** People whose addresses the channel reports in full. */
function partiesIn(inboundEvent: InboundEvent): Party[] {
  const parties = 'from' in inboundEvent ? [inboundEvent.from] : [];
  if (inboundEvent.what === 'contact') parties.push(inboundEvent.to);
  return parties.filter(({ otherAddresses }) => otherAddresses !== undefined);
}

function withCanonicalIds(
  inboundEvent: InboundEvent,
  canonicalIds: ReadonlyMap<Party, string>,
): InboundEvent {
  const rename = (party: Party): Party => {
    const id = canonicalIds.get(party);
    if (id === undefined) return party;
    const otherAddresses = [party.id, ...(party.otherAddresses ?? [])].filter(
      (each) => each !== id,
    );
    return { ...party, id, otherAddresses };
  };
  if (inboundEvent.what === 'contact') {
    return { ...inboundEvent, from: rename(inboundEvent.from), to: rename(inboundEvent.to) };
  }
  return 'from' in inboundEvent
    ? { ...inboundEvent, from: rename(inboundEvent.from) }
    : inboundEvent;
}
