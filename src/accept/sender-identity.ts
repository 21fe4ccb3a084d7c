import type { InboundEvent, Party } from '../channels/inbound.ts';
import { findChannel } from '../channels/index.ts';
import { storable } from '../lib/text/storable.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Store } from '../store/store.ts';
import type { Receiver } from './inbound-events.ts';

/**
 * Identifies people with several addresses by the address of their first message: a person who hides their phone number
 * stays the same `actor`. Events list their other addresses.
 */
export async function resolveIdentities(
  store: Store,
  { id: integrationId, applicationId, name }: Receiver,
  incoming: readonly InboundEvent[],
  now: Millis,
): Promise<readonly InboundEvent[]> {
  const inboundEvents = incoming.map((inboundEvent) => normalized(inboundEvent, name));
  const parties = inboundEvents.flatMap(partiesIn);
  if (parties.length === 0) return inboundEvents;
  const people = parties.map(({ id, otherAddresses = [] }) =>
    [id, ...otherAddresses].map(storable),
  );
  const identities = await store.aliases.resolve({ applicationId, integrationId }, people, now);
  const canonicalIds = new Map(parties.map((party, i) => [party, identities[i] ?? party.id]));
  return inboundEvents.map((inboundEvent) => withCanonicalIds(inboundEvent, canonicalIds));
}

/** The event with its sender in the notation for sending. A different notation that was reported becomes another address. */
function normalized(inboundEvent: InboundEvent, channelName: string): InboundEvent {
  const normalize = findChannel(channelName)?.recipient.normalize;
  if (!normalize || !('from' in inboundEvent)) return inboundEvent;
  const { from } = inboundEvent;
  const id = normalize(from.id);
  if (id === from.id) return inboundEvent;
  const otherAddresses = [from.id, ...(from.otherAddresses ?? [])];
  return { ...inboundEvent, from: { ...from, id, otherAddresses } };
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
