import { createHash } from 'node:crypto';

import { SealError, type Sealer } from '../lib/seal.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Engine } from './engine.ts';

/**
 * Short-lived proofs that somebody was let in, which any node can check. What a ticket is for is part of it, so that one
 * kind is never taken for another.
 */
export class Tickets {
  readonly #engine: Engine;
  readonly #sealer: Sealer;

  constructor(engine: Engine, sealer: Sealer) {
    this.#engine = engine;
    this.#sealer = sealer;
  }

  issue(purpose: string, holder: string, expiresAt: Millis): string {
    return this.#sealer.seal(JSON.stringify([holder, expiresAt]), placeOf(purpose));
  }

  /** Who holds it; undefined when it is none, or not any more. */
  redeem(purpose: string, ticket: string, now: Millis): string | undefined {
    return this.#open(purpose, ticket, now)?.holder;
  }

  /** The same, for a ticket that is good for one use, on whichever node. */
  async spend(purpose: string, ticket: string, now: Millis): Promise<string | undefined> {
    const opened = this.#open(purpose, ticket, now);
    if (!opened) return undefined;
    const hash = createHash('sha256').update(ticket).digest('base64url');
    const { numInsertedOrUpdatedRows = 0n } = await this.#engine.db
      .insertInto('spentTickets')
      .values({ hash, expiresAt: opened.expiresAt })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 0n ? undefined : opened.holder;
  }

  /** Forgets those that would have expired by then. */
  async forgetSpent(before: Millis): Promise<void> {
    await this.#engine.db.deleteFrom('spentTickets').where('expiresAt', '<', before).execute();
  }

  #open(
    purpose: string,
    ticket: string,
    now: Millis,
  ): { holder: string; expiresAt: Millis } | undefined {
    try {
      const [holder, expiresAt] = JSON.parse(this.#sealer.open(ticket, placeOf(purpose))) as [
        string,
        number,
      ];
      return now < expiresAt ? { holder, expiresAt } : undefined;
    } catch (error) {
      if (error instanceof SealError) return undefined;
      throw error;
    }
  }
}

const placeOf = (purpose: string) => ({ table: 'tickets', row: purpose, field: 'ticket' });
