import { sql } from 'kysely';

import type { AuditEntry } from '../../model/audit.ts';
import type { Id } from '../../model/id.ts';
import { type Message, type NewMessage, SCHEDULED } from '../../model/message.ts';
import type { Millis } from '../../model/timestamp.ts';
import { recordAudit } from '../accounts/audit.ts';
import type { Engine } from '../engine.ts';
import { Repository } from '../repository.ts';
import { inDatabase } from '../tables.ts';
import { type DueMessage, dueMessages } from './queue.ts';
import { openLanes } from './resending.ts';
import { COLUMNS } from './transitions.ts';

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
  >
>;

/**
 * The schedule: messages that wait for their time, outside the lanes. Every statement locks a scheduled message before
 * a lane, and none waits for one while it has locked a lane, so none can deadlock with a release.
 */
export class Schedule extends Repository {
  /**
   * Moves up to `limit` due messages to the ends of their lanes, in the order of their times, in one transaction;
   * returns them. Any number of nodes may do so at once.
   */
  release(now: Millis, limit: number): Promise<DueMessage[]> {
    return this.db.transaction().execute(async (trx) => {
      const { rows: due } = await dueMessages(this.engine, now, limit).execute(trx);
      if (due.length === 0) return due;
      await openLanes(this.engine, trx, due, now);
      // Later than every message that is in the lanes, which are locked.
      const sequences = await this.engine.allocateSequences(trx, due.length);
      await joinLanes(this.engine, due, sequences, now).execute(trx);
      return due;
    });
  }

  /** Changes a scheduled message; returns whether it was still scheduled. */
  change(
    { applicationId, id }: Pick<Message, 'applicationId' | 'id'>,
    change: ScheduleChange,
    now: Millis,
    audit?: AuditEntry,
  ): Promise<boolean> {
    return this.db.transaction().execute(async (trx) => {
      const changed = await trx
        .updateTable('outbox')
        .set({ ...change, updatedAt: now })
        .where((eb) => eb.and({ applicationId, id, settledAt: SCHEDULED, state: 'scheduled' }))
        .returning('id')
        .executeTakeFirst();
      if (changed) await recordAudit(trx, audit);
      return changed !== undefined;
    });
  }
}

/** Queues scheduled messages. On PostgreSQL they change partitions; see moveMessages. */
function joinLanes(
  { name }: Pick<Engine, 'name'>,
  messages: readonly { applicationId: Id; id: Id }[],
  sequences: readonly number[],
  now: Millis,
) {
  const ids = messages.map(({ id }) => id);
  if (name === 'sqlite') {
    const places = JSON.stringify(ids.map((id, i) => [id, sequences[i]]));
    return sql`update outbox set state = 'queued', settled_at = 0, sequence = p.value ->> 1, updated_at = ${now},
        reason = null, detail = null
      from json_each(${places}) p where outbox.id = p.value ->> 0`;
  }
  const applicationIds = messages.map(({ applicationId }) => applicationId);
  return sql`with place as materialized (
      select * from unnest(${applicationIds}::bigint[], ${ids}::bigint[], ${sequences}::bigint[])
        as p (application_id, id, position)
    ), gone as (
      delete from outbox_scheduled m using place p
      where m.application_id = any (array[p.application_id]) and m.id = any (array[p.id])
      returning m.*, p.position
    )
    insert into outbox_open (${TARGET}) select ${SOURCE}, 'queued', 0, position, ${now}::bigint, null, null from gone`;
}

const CHANGED = ['state', 'settledAt', 'sequence', 'updatedAt', 'reason', 'detail'] as const;
const names = (columns: readonly string[]) =>
  sql.join(columns.map((column) => sql.ref(inDatabase(column))));
const KEPT = Object.keys(COLUMNS).filter((column) => !CHANGED.some((other) => other === column));
const TARGET = names([...KEPT, ...CHANGED]);
const SOURCE = names(KEPT);
