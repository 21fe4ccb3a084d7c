import type { Arrival, Party } from '../channels/inbound.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Store } from '../store/store.ts';
import type { Hearing } from './inbound-events.ts';

/**
 * Identifies people with several addresses by the address of their first message: a person who hides their phone number
 * stays the same `actor`. Their other addresses are passed along.
 */
export async function settlePeople(
  store: Store,
  { id: integrationId, applicationId }: Hearing,
  arrivals: readonly Arrival[],
  now: Millis,
): Promise<readonly Arrival[]> {
  const parties = arrivals.flatMap(partiesIn);
  if (parties.length === 0) return arrivals;
  const people = parties.map(({ id, also = [] }) => [id, ...also]);
  const settled = await store.aliases.settle({ applicationId, integrationId }, people, now);
  const called = new Map(parties.map((party, i) => [party, settled[i] ?? party.id]));
  return arrivals.map((arrival) => renamed(arrival, called));
}

/** People whose addresses the channel reports in full. */
function partiesIn(arrival: Arrival): Party[] {
  const parties = 'from' in arrival ? [arrival.from] : [];
  if (arrival.what === 'contact') parties.push(arrival.to);
  return parties.filter(({ also }) => also !== undefined);
}

function renamed(arrival: Arrival, called: ReadonlyMap<Party, string>): Arrival {
  const rename = (party: Party): Party => {
    const id = called.get(party);
    if (id === undefined) return party;
    const also = [party.id, ...(party.also ?? [])].filter((each) => each !== id);
    return { ...party, id, also };
  };
  if (arrival.what === 'contact') {
    return { ...arrival, from: rename(arrival.from), to: rename(arrival.to) };
  }
  return 'from' in arrival ? { ...arrival, from: rename(arrival.from) } : arrival;
}
