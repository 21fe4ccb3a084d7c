import { UserX } from 'lucide-react';

import type { Consent } from '../api/types.ts';
import { AddressText } from '../contacts/address-text.tsx';

type ChannelAddress = Pick<Consent, 'family' | 'address'>;

/** For an erased person, only a digest of the address is kept, so that a revocation stays in force. */
export const isErased = ({ address }: ChannelAddress): boolean => address.startsWith('erased:');

/** The address as people read it. */
export const addressText = (consent: ChannelAddress): string =>
  isErased(consent) ? 'Erased person' : consent.address;

/** An address with the mark of its channel. */
export function ConsentAddress({ consent }: { consent: ChannelAddress }) {
  const { family: channel, address } = consent;
  if (!isErased(consent)) return <AddressText address={{ channel, address }} />;
  return (
    <span data-testid="erased" className="inline-flex items-center gap-1.5" title={address}>
      <UserX className="size-4 shrink-0 text-ink-faint" aria-hidden />
      Erased person
    </span>
  );
}
