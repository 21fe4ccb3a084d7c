import { consentAddressOf } from '../../channels/consent-address.ts';
import type { InboundEvent, Party } from '../../channels/inbound.ts';
import { findChannel } from '../../channels/index.ts';
import { storable } from '../../lib/text/storable.ts';
import type { Id } from '../../model/id.ts';
import { consentKey } from '../../model/sending/consent.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { MoveResult } from '../../store/people/address-moves.ts';
import type { Store } from '../../store/store.ts';
import { storedConsentKey } from '../consent/erased.ts';
import type { Receiver } from '../inbound-events.ts';
import type { Candidate } from '../routing.ts';

/*
 * Messages to one person through one integration keep their order when the address changes: those that wait move to the
 * lane of the new address. docs/decisions/0058-address-changes.md
 */

interface Move {
  applicationId: Id;
  integration: Pick<Candidate, 'id' | 'channel' | 'mode'>;
  former: string;
  recipient: string;
  /** Only the messages to these contacts. */
  contactIds: readonly Id[] | null;
}

/** Moves waiting messages to another address of the same person. */
export async function readdress(store: Store, move: Move, now: Millis): Promise<MoveResult> {
  const { applicationId, integration, contactIds, ...addresses } = move;
  const { channel, mode } = integration;
  if (!channel) return 'done';
  const { normalize = (address: string) => address } = channel.recipient;
  const [former, recipient] = [normalize(addresses.former), normalize(addresses.recipient)];
  const keyOf = async (address: string): Promise<string> => {
    const key = consentKey(consentAddressOf(channel, address, mode));
    const secret = await store.consentDigests.secret(applicationId);
    return secret ? storedConsentKey(store, applicationId, secret, key) : key;
  };
  const consents = await store.consents.of(applicationId, await keyOf(former));
  // A message that the person stopped at the former address must not be sent to the new one.
  const isStopped = consents.some(({ state }) => state === 'revoked');
  return store.addressMoves.move(
    {
      applicationId,
      integrationId: integration.id,
      former,
      recipient,
      consentKey: isStopped ? null : await keyOf(recipient),
      contactIds: contactIds && JSON.stringify(contactIds),
    },
    now,
  );
}

const addressesIn = ({ id, otherAddresses = [] }: Party) => [id, ...otherAddresses].map(storable);

/** Moves the messages to people whose addresses changed, as their vendor reports. */
export async function followChanges(
  store: Store,
  { id, applicationId, name, mode }: Receiver,
  incoming: readonly InboundEvent[],
  now: Millis,
): Promise<void> {
  const integration = { id, channel: findChannel(name), mode };
  for (const inboundEvent of incoming) {
    if (inboundEvent.what !== 'contact') continue;
    const [recipient = '', ...others] = addressesIn(inboundEvent.to);
    for (const former of addressesIn(inboundEvent.from)) {
      if (former === recipient || others.includes(former)) continue;
      const move = { applicationId, integration, former, recipient, contactIds: null };
      await readdress(store, move, now);
    }
  }
}
