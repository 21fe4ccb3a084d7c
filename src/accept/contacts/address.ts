import type { Channel } from '../../channels/channel.ts';
import { consentAddressOf, normalAddress } from '../../channels/consent-address.ts';
import { CHANNELS, findChannel } from '../../channels/index.ts';
import { similarNames } from '../../lib/text/similar-names.ts';
import type { IntegrationMode } from '../../model/integration.ts';
import type { Address } from '../../model/people/contact.ts';
import type { ConsentAddress } from '../../model/sending/consent.ts';
import { recipientFault } from '../routing.ts';

/** Families of several channels that are not channels themselves. */
const SHARED_FAMILIES = ['sms', 'rcs'];
const NAMES = [...SHARED_FAMILIES, ...CHANNELS.map(({ name }) => name)];
const SANDBOX = 'sandbox.';

/** Whether the name is that of a channel or of a family of channels. */
export const isAddressName = (name: string): boolean =>
  NAMES.includes(name.startsWith(SANDBOX) ? name.slice(SANDBOX.length) : name);

export type AddressFault = { field: 'channel' | 'address'; detail: string };

/**
 * An address as contacts have it: by its family of channels, in the form of the family. `channel` is a family, or a
 * channel, which may belong to one: `twilio` is `sms`. Prefixed with `sandbox.` for simulated people.
 */
export function readAddress(channel: string, address: string): ConsentAddress | AddressFault {
  const isSandbox = channel.startsWith(SANDBOX);
  const name = isSandbox ? channel.slice(SANDBOX.length) : channel;
  if (!NAMES.includes(name)) return { field: 'channel', detail: unknownFamily(name) };
  const namedChannel = SHARED_FAMILIES.includes(name) ? undefined : findChannel(name);
  if (namedChannel) {
    const detail = recipientFault(namedChannel, address);
    if (detail !== undefined) return { field: 'address', detail };
    return consentAddressOf(namedChannel, address, isSandbox ? 'sandbox' : 'live');
  }
  const normal = normalAddress(name, address);
  if (!/^(?:\+[1-9]\d{4,14}|\d{3,8})$/.test(normal)) {
    const detail = 'must be a phone number with + and country code, or a short code';
    return { field: 'address', detail };
  }
  return { family: channel, address: normal };
}

function unknownFamily(name: string): string {
  const [similar] = similarNames(name, NAMES);
  return similar === undefined
    ? 'must be sms, whatsapp, rcs or the name of a channel'
    : `is unknown; did you mean ${similar}?`;
}

/**
 * The `to.id` by which the channel reaches an address, as lanes store it; undefined if it cannot. Channels write the
 * addresses of a family in different ways: `+49…`, `49…`, `whatsapp:+49…`.
 */
export function recipientFor(
  channel: Channel,
  mode: IntegrationMode,
  { family, address }: Pick<Address, 'family' | 'address'>,
): string | undefined {
  const network = family.replace(/^sandbox\./, '');
  const digits = address.replace(/^\+/, '');
  const notations = [address, digits, `${network}:${address}`, `${network}:${digits}`];
  const recipient = notations.find((notation) => {
    if (recipientFault(channel, notation) !== undefined) return false;
    const reached = consentAddressOf(channel, notation, mode);
    return reached.family === family && reached.address === address;
  });
  return recipient && (channel.recipient.normalize?.(recipient) ?? recipient);
}
