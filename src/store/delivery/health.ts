import type { Kysely } from 'kysely';

import type { EventType } from '../../model/event.ts';
import {
  FAILING_AFTER,
  type FailureReason,
  type HealthScope,
  failingData,
  recoveredData,
} from '../../model/health.ts';
import type { Id } from '../../model/id.ts';
import { ENDPOINT, type Integration } from '../../model/integration.ts';
import type { Millis } from '../../model/timestamp.ts';
import { appendEvents } from '../feed/events.ts';
import { Repository } from '../repository.ts';
import type { Schema } from '../schema.ts';

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

/** A session that failed on the node that owns the integration. `isLasting`: another session cannot succeed either. */
export interface SessionFailure extends Failure {
  isLasting: boolean;
}

type OwnedKey = Required<HealthKey>;

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

  /** Records a failed session. The second in a row starts a failing period, and so does a lasting failure. */
  sessionFailed(
    { applicationId, integrationId, fence }: OwnedKey,
    { reason, detail, isLasting }: SessionFailure,
    now: Millis,
  ): Promise<void> {
    return this.db.transaction().execute(async (trx) => {
      const owned = await trx
        .updateTable('ownerships')
        .set(({ eb, fn, val }) => ({
          receivingFailures: eb(fn.coalesce('receivingFailures', val(0)), '+', 1),
          receivingFailedAt: fn.coalesce('receivingFailedAt', val(now)),
          receivingError: detail,
          receivingErrorAt: now,
        }))
        .where((eb) => eb.and({ applicationId, integrationId, fence }))
        .returning(['receivingFailures', 'receivingFailedAt', 'receivingFailingSince'])
        .executeTakeFirst();
      if (!owned || owned.receivingFailingSince !== null) return;
      if (!isLasting && (owned.receivingFailures ?? 0) < FAILING_AFTER) return;
      const since = owned.receivingFailedAt ?? now;
      await trx
        .updateTable('ownerships')
        .set({ receivingFailingSince: since })
        .where((eb) => eb.and({ applicationId, integrationId }))
        .execute();
      const channel = await channelOf(trx, applicationId, integrationId);
      if (channel === undefined) return;
      const place = { applicationId, integrationId, channel, scope: 'receiving' } as const;
      const data = failingData(place, { reason, detail, since });
      await emitChange(trx, applicationId, 'integration.failing', data, now);
    });
  }

  /**
   * Records that a session lasts (`connectedAt`), or that there is nothing to connect to (null), and ends a failing
   * period. Writes nothing if the integration was connected already.
   */
  sessionLasts(
    { applicationId, integrationId, fence }: OwnedKey,
    connectedAt: Millis | null,
    now: Millis,
  ): Promise<void> {
    return this.db.transaction().execute(async (trx) => {
      const owned = await trx
        .selectFrom('ownerships')
        .select(['receivingFailingSince', 'receivingFailures', 'connectedAt'])
        .where((eb) => eb.and({ applicationId, integrationId, fence }))
        .executeTakeFirst();
      if (!owned) return;
      const isSame = (owned.connectedAt === null) === (connectedAt === null);
      if (isSame && owned.receivingFailures === null) return;
      const { numUpdatedRows } = await trx
        .updateTable('ownerships')
        .set({
          receivingFailures: null,
          receivingFailedAt: null,
          receivingFailingSince: null,
          connectedAt,
        })
        .where((eb) => eb.and({ applicationId, integrationId, fence }))
        .executeTakeFirst();
      if (numUpdatedRows === 0n || owned.receivingFailingSince === null) return;
      await emitRecovered(trx, applicationId, integrationId, 'receiving', now);
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
  const place = { applicationId, integrationId, channel, scope: 'sending' } as const;
  const data = failingData(place, { reason, detail, since });
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
  await emitRecovered(trx, applicationId, integrationId, 'sending', now);
}

async function emitRecovered(
  trx: Kysely<Schema>,
  applicationId: Id,
  integrationId: Id,
  scope: HealthScope,
  now: Millis,
): Promise<void> {
  const channel = await channelOf(trx, applicationId, integrationId);
  if (channel === undefined) return;
  const data = recoveredData({ applicationId, integrationId, channel, scope });
  await emitChange(trx, applicationId, 'integration.recovered', data, now);
}

/** Undefined for the webhook of an application, and for a deleted integration. */
async function channelOf(
  trx: Kysely<Schema>,
  applicationId: Id,
  integrationId: Id,
): Promise<string | undefined> {
  const integration = await trx
    .selectFrom('integrations')
    .select('name')
    .where((eb) => eb.and({ applicationId, id: integrationId }))
    .executeTakeFirst();
  return integration?.name === ENDPOINT ? undefined : integration?.name;
}

const emitChange = (
  trx: Kysely<Schema>,
  applicationId: Id,
  type: EventType,
  data: string,
  createdAt: Millis,
) => appendEvents(trx, [{ applicationId, type, data, media: null, createdAt }]);
