import type { AuditEntry } from '../../model/audit.ts';
import type { Id } from '../../model/id.ts';
import { type Message, type NewMessage, SCHEDULED } from '../../model/message.ts';
import { readInstructions, writeInstructions } from '../../model/sending/instructions.ts';
import {
  type QuietHours,
  readQuietHours,
  writeQuietHours,
} from '../../model/sending/quiet-hours.ts';
import type { Millis } from '../../model/timestamp.ts';
import { recordAudit } from '../accounts/audit.ts';
import { recordChanges } from '../accounts/changes.ts';
import { byIds } from '../by-ids.ts';
import { Repository } from '../repository.ts';
import { type ReleaseResult, failScheduled, releaseMessages } from '../routes/release.ts';
import { replaceRoutes } from '../routes/requests.ts';
import { dueMessages, outdatedAddressMessages } from './queue.ts';
import { IN_SCHEDULE } from './transitions.ts';

/** The fields of a scheduled message that a request may change. */
export type ScheduleChange = Partial<
  Pick<
    NewMessage,
    | 'integrationId'
    | 'recipient'
    | 'activity'
    | 'instructions'
    | 'category'
    | 'consentKey'
    | 'objectId'
    | 'type'
    | 'expiresAt'
    | 'dueAt'
    | 'reason'
    | 'route'
    | 'routes'
  >
>;

/** The fields by which `change` sees whether the message is still as it was read. */
type UnchangedFields = 'applicationId' | 'id' | 'reason' | 'updatedAt';

/** The new address of a message to a contact; `no_address` if the contact has none that could be used. */
export type AddressChange = ScheduleChange | 'no_address';

/**
 * The schedule: messages that wait for their time, outside the lanes. Every statement locks scheduled messages before
 * lanes, and never waits for a scheduled message while it holds the lock of a lane, so it cannot deadlock with a release.
 */
export class Schedule extends Repository {
  /**
   * Moves up to `limit` due messages to the ends of their lanes, in the order of their times, in one transaction; those
   * in quiet hours are deferred or fail. Any number of nodes may do so at once.
   */
  release(now: Millis, limit: number): Promise<ReleaseResult & { isFull: boolean }> {
    return this.db.transaction().execute(async (trx) => {
      const { rows } = await dueMessages(this.engine, now, limit).execute(trx);
      // Those that became due since `withOutdatedAddress` wait for the next run.
      const due = rows.filter(({ hasOutdatedAddress }) => hasOutdatedAddress === 0);
      const released = await releaseMessages(this.engine, trx, due, now);
      // Whether there may be more.
      return { ...released, isFull: rows.length === limit };
    });
  }

  /** Messages to contacts that the next release would move, and whose addresses must be chosen again. */
  async withOutdatedAddress(now: Millis, limit: number): Promise<Message[]> {
    const { rows } = await outdatedAddressMessages(this.engine, now, limit).execute(this.db);
    const result: Message[] = [];
    for (const [applicationId, group] of Map.groupBy(rows, (one) => one.applicationId)) {
      const ids = group.map(({ id }) => id);
      const messages = await this.db
        .selectFrom('messages')
        .selectAll()
        .where(IN_SCHEDULE)
        .where(byIds(this.engine, applicationId, ids))
        .execute();
      result.push(...messages);
    }
    return result;
  }

  /** Stores the newly chosen address of a message, unless the message has changed; returns whether the message failed. */
  changeAddress(message: Message, change: AddressChange, now: Millis): Promise<boolean> {
    const { applicationId, id, updatedAt, dueAt } = message;
    return this.db.transaction().execute(async (trx) => {
      const key = { applicationId, id, settledAt: SCHEDULED, state: 'scheduled' } as const;
      const isFailed = change === 'no_address';
      const { routes: _, ...fields }: ScheduleChange = isFailed ? {} : change;
      const read = readInstructions(fields.instructions ?? message.instructions);
      const chosen = { ...(dueAt !== null && { dueAt }) };
      const contact = read.contact && { contact: { ...read.contact, ...chosen } };
      const instructions = writeInstructions({ ...read, ...contact });
      const changed = await trx
        .updateTable('outbox')
        .set({ ...fields, instructions })
        .where((eb) => eb.and({ ...key, updatedAt }))
        .returning('id')
        .executeTakeFirst();
      if (!changed || !isFailed) return false;
      await failScheduled(this.engine, trx, [message], 'no_address', now);
      return true;
    });
  }

  /** The quiet hours of an application; undefined if it does not exist. */
  async quietHours(applicationId: Id): Promise<QuietHours | undefined> {
    const row = await this.db
      .selectFrom('applications')
      .select('quietHours')
      .where('id', '=', applicationId)
      .executeTakeFirst();
    return row && readQuietHours(row.quietHours);
  }

  async setQuietHours(
    applicationId: Id,
    quietHours: QuietHours,
    audit?: AuditEntry,
  ): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      await trx
        .updateTable('applications')
        .set({ quietHours: writeQuietHours(quietHours) })
        .where('id', '=', applicationId)
        .execute();
      await recordAudit(trx, audit);
      await recordChanges(trx, applicationId);
    });
  }

  /**
   * Changes a scheduled message, unless it has changed since it was read; returns whether it did. Its routes are
   * replaced, if any are given.
   */
  change(
    { applicationId, id, reason, updatedAt }: Pick<Message, UnchangedFields>,
    { routes, ...change }: ScheduleChange,
    now: Millis,
    audit?: AuditEntry,
  ): Promise<boolean> {
    // Two changes in the same millisecond differ too.
    const changedAt = Math.max(now, updatedAt + 1);
    return this.db.transaction().execute(async (trx) => {
      const changed = await trx
        .updateTable('outbox')
        .set({ ...change, updatedAt: changedAt })
        .where('reason', reason === null ? 'is' : '=', reason)
        .where((eb) => eb.and({ applicationId, id, settledAt: SCHEDULED, state: 'scheduled' }))
        .where('updatedAt', '=', updatedAt)
        .returning('id')
        .executeTakeFirst();
      if (changed && routes) await replaceRoutes(trx, { applicationId, id }, routes);
      if (changed) await recordAudit(trx, audit);
      return changed !== undefined;
    });
  }
}
