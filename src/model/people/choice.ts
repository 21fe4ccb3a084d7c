import type { Id } from '../id.ts';

/**
 * Why a message to a contact goes to an address. `generator`: the request named the integration; `only_usable`: all
 * others were skipped, or there are none; `preference`, `last_inbound`, `first_added`: it comes first by that.
 */
export const CHOICES = [
  'generator',
  'only_usable',
  'preference',
  'last_inbound',
  'first_added',
] as const;

export const SKIPS = ['disabled', 'no_integration', 'suppressed', 'window_closed'] as const;

export interface SkippedAddress {
  addressId: Id;
  because: (typeof SKIPS)[number];
}

/** The address that a message to a contact goes to. */
export interface AddressChoice {
  contactId: Id;
  addressId: Id;
  because: (typeof CHOICES)[number];
  /** Addresses that cannot be used now. */
  skipped: readonly SkippedAddress[];
}
