import type { Id } from '../../model/id.ts';
import type { Millis } from '../../model/timestamp.ts';

export interface SignInLink {
  /** SHA-256 of the code in the link. */
  hash: string;
  userId: Id;
  expiresAt: Millis;
}

/** An address that a user signed in from, with its bucket of attempts. */
export interface SignInAddress {
  teamId: Id;
  userId: Id;
  /** SHA-256 of the address, or of the /64 of an IPv6 address. */
  address: string;
  /** When the bucket is full again. */
  refilledAt: Millis;
  seenAt: Millis;
}
