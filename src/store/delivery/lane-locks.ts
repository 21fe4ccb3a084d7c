import { type Kysely, sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import type { Message } from '../../model/message.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Engine } from '../engine.ts';
import type { Schema } from '../schema.ts';

type LaneKey = Pick<Message, 'applicationId' | 'integrationId' | 'recipient'>;

/** Locks lanes in key order, as dispatch rounds do. Call it before locking messages of these lanes. */
export async function lockLanes(
  { name }: Pick<Engine, 'name'>,
  trx: Kysely<Schema>,
  keys: readonly LaneKey[],
): Promise<void> {
  // SQLite needs no lock: a writing transaction has exclusive access.
  if (name !== 'postgres') return;
  await sql`select 1 from lanes
    where (application_id, integration_id, recipient) in (select * from unnest(
      ${keys.map(({ applicationId }) => applicationId)}::bigint[],
      ${keys.map(({ integrationId }) => integrationId)}::bigint[],
      ${keys.map(({ recipient }) => recipient)}::text[]))
    order by application_id, integration_id, recipient for update`.execute(trx);
}

/** Lanes that were waiting to retry one of these messages become due. */
export async function makeLanesDue(
  trx: Kysely<Schema>,
  messages: readonly (LaneKey & { id: Id })[],
  now: Millis,
): Promise<void> {
  for (const { id, applicationId, integrationId, recipient } of messages) {
    await trx
      .updateTable('lanes')
      .set({ dueAt: now, messageId: null, reason: null })
      .where((eb) => eb.and({ applicationId, integrationId, recipient, messageId: id }))
      .where('dueAt', 'is not', null)
      .execute();
  }
}
