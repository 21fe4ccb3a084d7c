import { type Kysely, sql } from 'kysely';

import type { Millis } from '../../model/timestamp.ts';
import { HEALTHY } from '../delivery/health.ts';
import type { Engine } from '../engine.ts';
import type { Endpoint, Schema } from '../schema.ts';
import { keyIn } from '../tables.ts';

/** All events go to one recipient, so that they are delivered in order. */
export const FEED = 'feed';

const INSERT_BATCH = 100;

/** The webhook request for an event. */
export interface EventRequest {
  /** The number of the event. */
  id: number;
  body: string;
  trace: string | null;
}

/** The queued deliveries of an endpoint. */
export const isQueued = ({
  applicationId,
  integrationId,
}: Pick<Endpoint, 'applicationId' | 'integrationId'>) => sql<boolean>`settled_at = 0
  and application_id = ${applicationId} and integration_id = ${integrationId} and state = 'queued'`;

/** Clears pause and failures of an endpoint, and makes its lane due. */
export async function resume(trx: Kysely<Schema>, endpoint: Endpoint, now: Millis): Promise<void> {
  const { applicationId, integrationId } = endpoint;
  await trx
    .updateTable('ownerships')
    .set({ pausedReason: null, pausedDetail: null, pausedUntil: null, ...HEALTHY })
    .where((eb) => eb.and({ applicationId, integrationId }))
    .execute();
  await trx
    .updateTable('lanes')
    .set({ dueAt: now, messageId: null, reason: null })
    .where((eb) => eb.and({ applicationId, integrationId }))
    .where('dueAt', 'is not', null)
    .execute();
  await trx
    .updateTable('outbox')
    .set({ attempts: 0 })
    .where(isQueued(endpoint))
    .where('attempts', '>', 0)
    .execute();
}

/** Queues events behind those that wait. */
export async function enqueue(
  engine: Engine,
  trx: Kysely<Schema>,
  { applicationId, integrationId }: Endpoint,
  events: readonly EventRequest[],
  now: Millis,
): Promise<void> {
  if (events.length === 0) return;
  const numbers = await engine.allocateSequences(trx, events.length);
  const place = { applicationId, integrationId, recipient: FEED };
  // Lock the lane before the messages: the lock order of all statements.
  await trx
    .insertInto('lanes')
    .values({ ...place, dueAt: now, version: 0 })
    .onConflict((conflict) =>
      conflict
        .columns(keyIn(engine.name, 'lanes'))
        .doUpdateSet(({ eb }) => ({ version: eb('lanes.version', '+', 1) })),
    )
    .execute();
  const untried = { state: 'queued', attempts: 0, starts: 0, partsSent: 0 } as const;
  const rows = events.map(({ id, body, trace }, i) => ({
    id: numbers[i] ?? 0,
    sequence: numbers[i] ?? 0,
    ...place,
    ...untried,
    activity: body,
    objectId: String(id),
    type: 'Event' as const,
    trace,
    createdAt: now,
    updatedAt: now,
    settledAt: 0,
  }));
  for (let i = 0; i < rows.length; i += INSERT_BATCH) {
    await trx
      .insertInto('outbox')
      .values(rows.slice(i, i + INSERT_BATCH))
      .execute();
  }
}
