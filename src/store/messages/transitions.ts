import { type Kysely, sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import type { Message, MessageState } from '../../model/message.ts';
import type { Millis } from '../../model/timestamp.ts';
import { byIds } from '../by-ids.ts';
import type { Engine } from '../engine.ts';
import { EVENT_COLUMNS } from '../feed/emit.ts';
import type { Schema } from '../schema.ts';

/** Messages that are queued or being sent; a separate partition on PostgreSQL. */
export const OPEN = sql<boolean>`settled_at = 0`;

/** Messages that wait for their time; a separate partition on PostgreSQL. */
export const IN_SCHEDULE = sql<boolean>`settled_at = -1`;

/** Always true; selects the partial index outbox_by_lane on PostgreSQL. */
export const IN_LANE = sql<boolean>`sequence > 0`;

export const COLUMNS: Readonly<Record<keyof Message, true>> = {
  applicationId: true,
  id: true,
  settledAt: true,
  createdAt: true,
  updatedAt: true,
  integrationId: true,
  sequence: true,
  dueAt: true,
  expiresAt: true,
  attempts: true,
  partsSent: true,
  starts: true,
  route: true,
  type: true,
  state: true,
  recipient: true,
  category: true,
  consentKey: true,
  objectId: true,
  channelIds: true,
  reason: true,
  detail: true,
  activity: true,
  instructions: true,
  trace: true,
  deliveredAt: true,
};

/** Messages of one application that share `settledAt`, in one of these states. */
export interface TransitionSource {
  applicationId: Id;
  ids: readonly Id[];
  settledAt: Millis;
  states: readonly MessageState[];
}

export type Change = Pick<Message, 'state' | 'settledAt' | 'updatedAt'> &
  Partial<
    Pick<Message, 'sequence' | 'reason' | 'detail' | 'expiresAt' | 'dueAt' | 'deliveredAt'> &
      RouteFields
  >;

/** The fields of a message that its route determines. */
export type RouteFields = Pick<
  Message,
  | 'route'
  | 'integrationId'
  | 'recipient'
  | 'consentKey'
  | 'instructions'
  | 'partsSent'
  | 'channelIds'
  | 'attempts'
>;

/**
 * Moves messages between open, scheduled and settled; returns those found. On PostgreSQL they change partitions by delete
 * and insert instead of an update: after an update that moves a row, a concurrent statement that waits for the row
 * fails, while after a delete it finds the row gone.
 */
export async function moveMessages(
  engine: Engine,
  trx: Kysely<Schema>,
  { applicationId, ids, settledAt, states }: TransitionSource,
  change: Change,
): Promise<Pick<Message, (typeof EVENT_COLUMNS)[number]>[]> {
  if (ids.length === 0) return [];
  if (engine.name === 'sqlite') {
    return trx
      .updateTable('outbox')
      .set(change)
      .where(byIds(engine, applicationId, ids))
      .where('settledAt', '=', settledAt)
      .where('state', 'in', states)
      .returning(EVENT_COLUMNS)
      .execute();
  }
  const columns = Object.keys(COLUMNS) as (keyof Message)[];
  return trx
    .with('gone', (db) =>
      db
        .deleteFrom('outbox')
        .where('applicationId', '=', applicationId)
        .where('id', 'in', ids)
        .where('settledAt', '=', settledAt)
        .where('state', 'in', states)
        .returningAll(),
    )
    .insertInto('outbox')
    .columns(columns)
    .expression((eb) => {
      const values: Partial<Message> = change;
      return eb.selectFrom('gone').select((gone) =>
        columns.map((column) => {
          const value = values[column];
          return value === undefined
            ? gone.ref(`gone.${column}`).as(column)
            : gone.val(value).as(column);
        }),
      );
    })
    .returning(EVENT_COLUMNS)
    .execute();
}
