import type { Id } from '../id.ts';

/**
 * Why a message to a contact goes to an address. `generator`, `route`: the request named the integration;
 * `only_usable`: all others were skipped, or there are none; `preference`, `last_inbound`, `first_added`: it ranks
 * first by this; `order`: earlier messages to the contact wait there; `address_changed`: its owner gave up the address
 * chosen before.
 */
export const CHOICE_REASONS = [
  'generator',
  'route',
  'only_usable',
  'preference',
  'last_inbound',
  'first_added',
  'order',
  'address_changed',
] as const;

export const SKIP_REASONS = ['disabled', 'no_integration', 'suppressed', 'window_closed'] as const;

export interface SkippedAddress {
  addressId: Id;
  because: (typeof SKIP_REASONS)[number];
}

/** The address that a message to a contact goes to. */
export interface AddressChoice {
  contactId: Id;
  addressId: Id;
  because: (typeof CHOICE_REASONS)[number];
  /** The time zone of the contact, if it is known. */
  zone?: string;
  /** Addresses that cannot be used now. */
  skipped: readonly SkippedAddress[];
}
