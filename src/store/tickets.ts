import { SealError, type Sealer } from '../lib/seal.ts';
import type { Millis } from '../model/timestamp.ts';

/**
 * Short-lived proofs that somebody was let in, which any node can check: nothing is stored. What a ticket is
 * for is part of it, so that one kind is never taken for another.
 */
export class Tickets {
  readonly #sealer: Sealer;

  constructor(sealer: Sealer) {
    this.#sealer = sealer;
  }

  issue(purpose: string, holder: string, expiresAt: Millis): string {
    return this.#sealer.seal(JSON.stringify([holder, expiresAt]), placeOf(purpose));
  }

  /** Who holds it; undefined when it is none, or not any more. */
  redeem(purpose: string, ticket: string, now: Millis): string | undefined {
    try {
      const [holder, expiresAt] = JSON.parse(this.#sealer.open(ticket, placeOf(purpose))) as [
        string,
        number,
      ];
      return now < expiresAt ? holder : undefined;
    } catch (error) {
      if (error instanceof SealError) return undefined;
      throw error;
    }
  }
}

const placeOf = (purpose: string) => ({ table: 'tickets', row: purpose, field: 'ticket' });
