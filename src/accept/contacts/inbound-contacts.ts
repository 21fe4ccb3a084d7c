import { consentAddressOf } from '../../channels/consent-address.ts';
import type { InboundEvent, Party } from '../../channels/inbound.ts';
import { findChannel } from '../../channels/index.ts';
import { storable } from '../../lib/text/storable.ts';
import type { Id } from '../../model/id.ts';
import {
  ANY_INTEGRATION,
  DEFAULT_PREFERENCE,
  type NewAddress,
} from '../../model/people/contact.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Store } from '../../store/store.ts';
import type { Receiver } from '../inbound-events.ts';

/** Messages from longer addresses create no contact. */
const MAX_ADDRESS_BYTES = 1024;
/** Longer names are truncated. */
const MAX_NAME_LENGTH = 200;
const MAX_EXTERNAL_ID_LENGTH = 255;
/** Other addresses of a person that the vendor attests. */
const MAX_OTHERS = 5;

/**
 * The contacts of the people who wrote these messages. A person who writes for the first time becomes a contact if the
 * application wants that. Where a vendor reports several addresses of one person, the contact gets all of them, and
 * contacts that have them are merged. `incoming` are the same events with the addresses as reported.
 */
export async function contactsOf(
  store: Store,
  receiver: Receiver,
  inboundEvents: readonly InboundEvent[],
  incoming: readonly InboundEvent[],
  now: Millis,
): Promise<{ contacts: ReadonlyMap<Party, Id>; isChanged: boolean }> {
  const contacts = new Map<Party, Id>();
  let isChanged = false;
  for (const [i, inboundEvent] of inboundEvents.entries()) {
    const party = personIn(inboundEvent);
    const addresses = party ? addressesOf(party, receiver, now) : [];
    if (!party || addresses.length === 0) continue;
    const former = formerIn(incoming[i]);
    const found = await store.identities.identify(
      receiver.applicationId,
      {
        addresses: former ? addresses.map(attested) : addresses,
        name: nameOf(party),
        ...(isExternalId(party.signedId) && { externalId: party.signedId }),
        ...(former && {
          former: without(addressesOf(former, receiver, now), addresses).map(givenUp),
        }),
      },
      now,
    );
    if (!found) continue;
    contacts.set(party, found.id);
    isChanged ||= found.isChanged;
  }
  return { contacts, isChanged };
}

const attested = (address: NewAddress): NewAddress => ({ ...address, evidence: 'vendor' });

const givenUp = (address: NewAddress): NewAddress => ({
  ...address,
  evidence: 'vendor',
  state: 'disabled',
});

const nameOf = ({ name = '' }: Party): string | null => {
  const plain = storable(name)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim();
  return plain === '' ? null : plain.slice(0, MAX_NAME_LENGTH).toWellFormed();
};

const isExternalId = (id: string | undefined): id is string =>
  id !== undefined && id.length <= MAX_EXTERNAL_ID_LENGTH && !/\p{Cc}/u.test(id);

/** The writer, if messages to their address reach them alone; or a person whose address changed. */
function personIn(inboundEvent: InboundEvent): Party | undefined {
  if (inboundEvent.what === 'contact') return inboundEvent.to;
  if (inboundEvent.what !== 'message' && inboundEvent.what !== 'edit') return undefined;
  const { from, group, answerTo = from.id } = inboundEvent;
  return group || answerTo !== from.id ? undefined : from;
}

/** The address that the person gave up, according to the vendor. */
const formerIn = (incoming: InboundEvent | undefined): Party | undefined =>
  incoming?.what === 'contact' ? incoming.from : undefined;

const without = (some: readonly NewAddress[], others: readonly NewAddress[]): NewAddress[] =>
  some.filter(({ address }) => others.every((other) => other.address !== address));

function addressesOf(
  { id, otherAddresses = [] }: Party,
  { id: integrationId, name, mode }: Receiver,
  now: Millis,
): NewAddress[] {
  const channel = findChannel(name);
  if (!channel) return [];
  // Ids that mean the same to every integration, such as phone numbers, belong to a family of channels.
  const isShared = channel.recipient.consentAddress !== undefined;
  const known = new Map(
    [id, ...otherAddresses.slice(0, MAX_OTHERS)]
      .filter((one) => one !== '' && Buffer.byteLength(one) <= MAX_ADDRESS_BYTES)
      .map((one) => {
        const address = consentAddressOf(channel, storable(one), mode);
        return [address.address, address] as const;
      }),
  );
  const common = {
    integrationId: isShared ? ANY_INTEGRATION : integrationId,
    label: null,
    preference: DEFAULT_PREFERENCE,
    state: 'active',
    createdAt: now,
  } as const;
  return [...known.values()].map((address, i) =>
    Object.assign(
      { evidence: i === 0 ? ('inbound' as const) : ('vendor' as const) },
      common,
      address,
    ),
  );
}
