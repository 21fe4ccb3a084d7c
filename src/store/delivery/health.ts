import type { Kysely } from 'kysely';

import type { EventType } from '../../model/event.ts';
import { type FailureReason, failingData, recoveredData } from '../../model/health.ts';
import type { Id } from '../../model/id.ts';
import type { Integration } from '../../model/integration.ts';
import type { Millis } from '../../model/timestamp.ts';
import { appendEvents } from '../feed/events.ts';
import { Repository } from '../repository.ts';
import type { Schema } from '../schema.ts';
import { ENDPOINT } from './integrations.ts';

/** An integration, with its owner's fencing number if only the owner may write. */
interface HealthKey {
  applicationId: Id;
  integrationId: Id;
  fence?: number;
}

export interface Failure {
  reason: FailureReason;
  detail: string;
}

/** Columns of a healthy integration. `verifiedAt` tells whether that was verified or is assumed. */
export const HEALTHY = { failures: null, failedAt: null, failingSince: null } as const;

/**
 * The health of integrations, where it does not come from recorded attempts: those are counted in the statement that
 * records them (sqlite/health.ts, postgres/settle.ts).
 */
export class Health extends Repository {
  /** Ends a failing period after a successful send. */
  recover(key: HealthKey, now: Millis): Promise<void> {
    return this.db.transaction().execute((trx) => recover(trx, key, now));
  }

  /**
   * Records a check, unless the integration was changed meanwhile: a check of old credentials says nothing about new
   * ones. A passed check (no failure) also ends a pause for refused credentials; returns whether it did.
   */
  checked(
    { applicationId, id: integrationId, updatedAt }: Integration,
    failure: Failure | undefined,
    now: Millis,
  ): Promise<boolean> {
    const key = { applicationId, integrationId };
    return this.db.transaction().execute(async (trx) => {
      let query = trx
        .selectFrom('integrations')
        .select(['name', 'updatedAt'])
        .where('applicationId', '=', applicationId)
        .where('id', '=', integrationId);
      // Updates of the integration lock this row first, too.
      if (this.engine.name === 'postgres') query = query.forShare();
      const row = await query.executeTakeFirst();
      if (row?.updatedAt !== updatedAt) return false;
      if (failure) {
        await fail(trx, { ...key, channel: row.name }, failure, now);
        return false;
      }
      await recover(trx, key, now);
      const { numUpdatedRows } = await trx
        .updateTable('ownerships')
        .set({ pausedReason: null, pausedDetail: null, pausedUntil: null })
        .where((eb) => eb.and({ applicationId, integrationId, pausedReason: 'credentials' }))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    });
  }
}

/** Marks an integration as failing, and emits an event at the start of a failing period. */
export async function fail(
  trx: Kysely<Schema>,
  { applicationId, integrationId, channel }: HealthKey & { channel: string },
  { reason, detail }: Failure,
  now: Millis,
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('ownerships')
    .set(({ fn, val }) => ({ failingSince: fn.coalesce('failedAt', val(now)) }))
    .where((eb) => eb.and({ applicationId, integrationId }))
    .where('failingSince', 'is', null)
    .executeTakeFirst();
  const row = await trx
    .updateTable('ownerships')
    .set({ lastError: detail, lastErrorReason: reason, lastErrorAt: now })
    .where((eb) => eb.and({ applicationId, integrationId }))
    .returning('failingSince')
    .executeTakeFirst();
  if (numUpdatedRows === 0n || channel === ENDPOINT) return;
  const since = row?.failingSince ?? now;
  const data = failingData({ applicationId, integrationId, channel }, { reason, detail, since });
  await emitChange(trx, applicationId, 'integration.failing', data, now);
}

async function recover(
  trx: Kysely<Schema>,
  { applicationId, integrationId, fence }: HealthKey,
  now: Millis,
): Promise<void> {
  let ending = trx
    .updateTable('ownerships')
    .set({ ...HEALTHY, verifiedAt: now })
    .where((eb) => eb.and({ applicationId, integrationId }))
    .where('failingSince', 'is not', null);
  if (fence !== undefined) ending = ending.where('fence', '=', fence);
  const { numUpdatedRows } = await ending.executeTakeFirst();
  if (numUpdatedRows === 0n) {
    let counting = trx
      .updateTable('ownerships')
      .set({ failures: null, failedAt: null, verifiedAt: now })
      .where('applicationId', '=', applicationId)
      .where('integrationId', '=', integrationId);
    if (fence !== undefined) counting = counting.where('fence', '=', fence);
    await counting.execute();
    return;
  }
  const integration = await trx
    .selectFrom('integrations')
    .select('name')
    .where((eb) => eb.and({ applicationId, id: integrationId }))
    .executeTakeFirst();
  if (!integration || integration.name === ENDPOINT) return;
  const data = recoveredData({ applicationId, integrationId, channel: integration.name });
  await emitChange(trx, applicationId, 'integration.recovered', data, now);
}

const emitChange = (
  trx: Kysely<Schema>,
  applicationId: Id,
  type: EventType,
  data: string,
  createdAt: Millis,
) => appendEvents(trx, [{ applicationId, type, data, media: null, createdAt }]);
