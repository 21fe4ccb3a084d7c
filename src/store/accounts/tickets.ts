import { createHash } from 'node:crypto';

import { SealError } from '../../lib/crypto/seal.ts';
import type { Millis } from '../../model/timestamp.ts';
import { SealedRepository } from '../repository.ts';

/**
 * Short-lived tickets that prove authentication and that any node can verify. The purpose is part of a ticket, so
 * tickets for different purposes are not interchangeable.
 */
export class Tickets extends SealedRepository {
  issue(purpose: string, holder: string, expiresAt: Millis): string {
    return this.sealer.seal(JSON.stringify([holder, expiresAt]), placeOf(purpose));
  }

  /** The holder; undefined if the ticket is invalid or expired. */
  redeem(purpose: string, ticket: string, now: Millis): string | undefined {
    return this.#open(purpose, ticket, now)?.holder;
  }

  /** Like `redeem`, for single-use tickets, across all nodes. */
  async spend(purpose: string, ticket: string, now: Millis): Promise<string | undefined> {
    const opened = this.#open(purpose, ticket, now);
    if (!opened) return undefined;
    const hash = createHash('sha256').update(ticket).digest('base64url');
    const { numInsertedOrUpdatedRows = 0n } = await this.db
      .insertInto('spentTickets')
      .values({ hash, expiresAt: opened.expiresAt })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 0n ? undefined : opened.holder;
  }

  /** Deletes records of used tickets that have expired anyway. */
  async forgetSpent(before: Millis): Promise<void> {
    await this.db.deleteFrom('spentTickets').where('expiresAt', '<', before).execute();
  }

  #open(
    purpose: string,
    ticket: string,
    now: Millis,
  ): { holder: string; expiresAt: Millis } | undefined {
    try {
      const [holder, expiresAt] = JSON.parse(this.sealer.open(ticket, placeOf(purpose))) as [
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
