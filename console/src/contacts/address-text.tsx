import { useQuery } from '@tanstack/react-query';

import type { Channel, ContactAddress } from '../api/types.ts';
import { ChannelMark } from '../integrations/channel-mark.tsx';
import { channelsQuery } from '../integrations/queries.ts';

const SANDBOX = 'sandbox.';

const FAMILIES: Readonly<Record<string, string>> = { sms: 'SMS', rcs: 'RCS' };

/** The channel of an address: its name, which selects the mark, and its title. */
export function channelOf(
  { channel }: Pick<ContactAddress, 'channel'>,
  channels: readonly Channel[] = [],
) {
  const isSandbox = channel.startsWith(SANDBOX);
  const name = isSandbox ? channel.slice(SANDBOX.length) : channel;
  const title = FAMILIES[name] ?? channels.find((each) => each.name === name)?.title ?? name;
  return { name, title: isSandbox ? `${title} (sandbox)` : title };
}

/** An address with the mark of its channel. */
export function AddressText({ address }: { address: Pick<ContactAddress, 'channel' | 'address'> }) {
  const { data: channels } = useQuery(channelsQuery);
  const { name, title } = channelOf(address, channels);
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1.5" title={title}>
      <ChannelMark name={name} />
      <span className="sr-only">{title} </span>
      <span className="wrap-anywhere">{address.address}</span>
    </span>
  );
}
