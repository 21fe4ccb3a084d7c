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

/** Longer addresses and names are not worth a contact. */
const MAX_ADDRESS_BYTES = 1024;
const MAX_NAME_LENGTH = 200;
/** Other addresses of a person that the vendor attests. */
const MAX_OTHERS = 5;

/**
 * The contacts of the people who wrote these messages. A person who writes for the first time becomes a contact if the
 * application wants that. Where a vendor reports several addresses of one person, the contact gets all of them.
 */
export async function contactsOf(
  store: Store,
  receiver: Receiver,
  inboundEvents: readonly InboundEvent[],
  now: Millis,
): Promise<ReadonlyMap<Party, Id>> {
  const found = new Map<Party, Id>();
  for (const from of inboundEvents.flatMap(writerOf)) {
    const addresses = addressesOf(from, receiver, now);
    if (addresses.length === 0) continue;
    const name =
      from.name &&
      storable(from.name)
        .replaceAll(/\p{Cc}+/gu, ' ')
        .trim();
    const id = await store.contacts.identify(
      receiver.applicationId,
      { addresses, name: name ? name.slice(0, MAX_NAME_LENGTH) : null },
      now,
    );
    if (id !== undefined) found.set(from, id);
  }
  return found;
}

/** The person, if messages to their address reach them alone. */
function writerOf(inboundEvent: InboundEvent): Party[] {
  if (inboundEvent.what !== 'message' && inboundEvent.what !== 'edit') return [];
  const { from, group, answerTo = from.id } = inboundEvent;
  return group || answerTo !== from.id ? [] : [from];
}

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
