import { type Kysely, sql } from 'kysely';

import type { Millis } from '../../model/timestamp.ts';
import { HEALTHY } from '../delivery/health.ts';
import type { Endpoint, Schema } from '../schema.ts';

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
    .where('applicationId', '=', applicationId)
    .where('integrationId', '=', integrationId)
    .execute();
  await trx
    .updateTable('lanes')
    .set({ dueAt: now, messageId: null, reason: null })
    .where('applicationId', '=', applicationId)
    .where('integrationId', '=', integrationId)
    .where('dueAt', 'is not', null)
    .execute();
  await trx
    .updateTable('outbox')
    .set({ attempts: 0 })
    .where(isQueued(endpoint))
    .where('attempts', '>', 0)
    .execute();
}
