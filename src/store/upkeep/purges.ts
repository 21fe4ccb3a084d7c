import { sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import { SCHEDULED } from '../../model/message.ts';
import type { Millis } from '../../model/timestamp.ts';
import { deleteBelongings } from '../accounts/applications.ts';
import { recordChanges } from '../accounts/changes.ts';
import { removeChats } from '../chat/chat-files.ts';
import { countRows, deleteFromEach } from '../delete-rows.ts';
import { emit } from '../feed/emit.ts';
import { scheduledMessages } from '../messages/queue.ts';
import { IN_LANE, OPEN, moveMessages } from '../messages/transitions.ts';
import { purgePeople } from '../people/purge.ts';
import { Repository } from '../repository.ts';
import { removeSandboxes } from '../sandbox/sandbox-files.ts';
import type { Purge } from '../schema.ts';
import { removeMessages } from './retention.ts';

const REPORTS = [
  'watermarks',
  'ignored',
  'aliases',
  'windows',
  'vendorTemplates',
  'templateSyncs',
  'costs',
] as const;

/** Removes the data of deleted resources in small steps. */
export class Purges extends Repository {
  list(): Promise<Purge[]> {
    return this.db.selectFrom('purges').selectAll().orderBy('createdAt').limit(1000).execute();
  }

  /** Deletes up to `limit` messages of an application with their attempts; returns how many. */
  async deleteMessages(applicationId: Id, limit: number): Promise<number> {
    const messages = await this.db
      .selectFrom('outbox')
      .select('id')
      .where('applicationId', '=', applicationId)
      .limit(limit)
      .execute();
    const ids = messages.map(({ id }) => id);
    if (ids.length > 0) {
      await this.db
        .transaction()
        .execute((trx) => removeMessages(this.engine, trx, applicationId, ids));
    }
    return ids.length;
  }

  /**
   * Cancels up to `limit` scheduled messages of an integration; returns how many. Those with routes stay: they take the
   * next route when they are due.
   */
  async cancelScheduled(purge: Purge, limit: number, now: Millis): Promise<number> {
    return this.db.transaction().execute(async (trx) => {
      const { applicationId, resourceId: integrationId } = purge;
      const scheduled = scheduledMessages(this.engine, { applicationId, integrationId }, limit);
      const ids = (await scheduled.execute(trx)).rows.map(({ id }) => id);
      const from = { applicationId, ids, settledAt: SCHEDULED, states: ['scheduled'] } as const;
      const to = { state: 'canceled', settledAt: now, updatedAt: now } as const;
      const canceled = await moveMessages(this.engine, trx, from, to);
      await emit(trx, canceled, 'canceled', now);
      return canceled.length;
    });
  }

  /** Cancels up to `limit` queued messages of an integration; those with routes take the next one. Returns how many. */
  async cancelMessages(purge: Purge, limit: number, now: Millis): Promise<number> {
    return this.db.transaction().execute(async (trx) => {
      const { applicationId, resourceId } = purge;
      const queued = await trx
        .selectFrom('outbox')
        .select(['id', 'route'])
        .where(OPEN)
        .where((eb) => eb.and({ applicationId, integrationId: resourceId }))
        .where('state', '=', sql.lit('queued'))
        .where(IN_LANE)
        .limit(limit)
        .execute();
      const idsOf = (isRouted: boolean) =>
        queued.flatMap(({ id, route }) => ((route !== null) === isRouted ? [id] : []));
      const from = { applicationId, settledAt: 0, states: ['queued'] } as const;
      const to = { state: 'canceled', settledAt: now, updatedAt: now } as const;
      const plain = { ...from, ids: idsOf(false) };
      const canceled = await moveMessages(this.engine, trx, plain, to);
      await emit(trx, canceled, 'canceled', now);
      const deferred = {
        state: 'scheduled',
        settledAt: SCHEDULED,
        reason: 'no_integration',
      } as const;
      const routed = { ...from, ids: idsOf(true) };
      await moveMessages(this.engine, trx, routed, { ...deferred, dueAt: now, updatedAt: now });
      return queued.length;
    });
  }

  /**
   * Deletes up to `limit` lanes of a deleted resource; returns how many. Lanes of an integration with a message in
   * flight stay until its result is known.
   */
  async removeLanes({ kind, resourceId, applicationId }: Purge, limit: number): Promise<number> {
    const { db, name } = this.engine;
    const owned =
      kind === 'application'
        ? sql`integration_id in
            (select integration_id from ownerships where application_id = ${applicationId})`
        : sql`integration_id = ${resourceId} and due_at is not null`;
    const place = sql`application_id, integration_id, recipient`;
    // Lock lanes in key order, like all statements. SQLite needs no lock: a writing statement has exclusive access.
    const lock =
      name === 'postgres' ? sql`order by ${place} limit ${limit} for update` : sql`limit ${limit}`;
    return countRows(
      db,
      sql`delete from lanes where (${place}) in (select ${place} from lanes
        where application_id = ${applicationId} and ${owned} ${lock})`,
    );
  }

  /** Deletes up to `limit` rows per table of channel reports for a deleted resource; returns the largest count. */
  async removeReports({ kind, resourceId, applicationId }: Purge, limit: number): Promise<number> {
    const isApplication = kind === 'application';
    const owned = isApplication
      ? sql`(select integration_id from ownerships where application_id = ${applicationId})`
      : sql`(${resourceId})`;
    const condition = sql`application_id = ${applicationId} and integration_id in ${owned}`;
    const tables = isApplication ? [...REPORTS, 'costTotals' as const] : REPORTS;
    return deleteFromEach(this.db, tables, condition, limit);
  }

  /**
   * Deletes the consents of a deleted application, their changes, and the recipients of its pools, up to `limit` rows of
   * each; returns the largest number deleted.
   */
  async removeConsents({ kind, applicationId }: Purge, limit: number): Promise<number> {
    if (kind !== 'application') return 0;
    const tables = ['consents', 'consentChanges', 'poolRecipients'] as const;
    return deleteFromEach(this.db, tables, sql`application_id = ${applicationId}`, limit);
  }

  /** Deletes up to `limit` rows per table of the people of a deleted application; returns the largest number deleted. */
  async purgePeople({ kind, applicationId }: Purge, limit: number): Promise<number> {
    return kind === 'application' ? purgePeople(this.db, applicationId, limit) : 0;
  }

  /** Deletes up to `limit` rows per table of web chats and sandboxes; returns the largest number deleted. */
  async removeChats({ kind, resourceId, applicationId }: Purge, limit: number): Promise<number> {
    if (kind === 'integration')
      return this.#removeConversations(applicationId, [resourceId], limit);
    const owned = await this.db
      .selectFrom('ownerships')
      .select('integrationId')
      .where('applicationId', '=', applicationId)
      .execute();
    const ids = owned.map(({ integrationId }) => integrationId);
    return this.#removeConversations(applicationId, ids, limit);
  }

  async #removeConversations(
    applicationId: Id,
    integrationIds: readonly Id[],
    limit: number,
  ): Promise<number> {
    const chats = await removeChats(this.db, applicationId, integrationIds, limit);
    const sandboxes = await removeSandboxes(this.db, applicationId, integrationIds, limit);
    return Math.max(chats, sandboxes);
  }

  async finish({ kind, resourceId, applicationId }: Purge): Promise<void> {
    if (kind === 'application') {
      await deleteBelongings(this.db, applicationId);
      await recordChanges(this.db, applicationId);
    }
    const column = kind === 'application' ? 'applicationId' : 'integrationId';
    const owned = this.db
      .selectFrom('ownerships')
      .select('integrationId')
      .where('applicationId', '=', applicationId)
      .where(column, '=', resourceId);
    // Lanes held by messages whose result will never arrive.
    await this.db
      .deleteFrom('lanes')
      .where('applicationId', '=', applicationId)
      .where('integrationId', 'in', owned)
      .execute();
    await this.db
      .deleteFrom('ownerships')
      .where('applicationId', '=', applicationId)
      .where(column, '=', resourceId)
      .execute();
    await this.db
      .deleteFrom('purges')
      .where((eb) => eb.and({ applicationId, kind, resourceId }))
      .execute();
  }
}
