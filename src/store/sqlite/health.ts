import type { EventType } from '../../model/event.ts';
import {
  type FailureReason,
  type HealthReport,
  failingData,
  healthAfter,
  recoveredData,
} from '../../model/health.ts';
import type { Id } from '../../model/id.ts';
import { ENDPOINT } from '../../model/integration.ts';
import type { FlatValue } from '../fields.ts';
import type { Database } from './database.ts';
import type { ThreadResult } from './dispatch-protocol.ts';

const READ = `select o.failures, o.failed_at, o.failing_since, i.name
  from ownerships o left join integrations i on i.id = o.integration_id where o.integration_id = ?`;
const WRITE = `update ownerships set failures = ?, failed_at = ?, failing_since = ?,
    verified_at = coalesce(?, verified_at)
  where integration_id = ?`;
const WRITE_ERROR = `update ownerships set last_error = ?, last_error_reason = ?, last_error_at = ?
  where integration_id = ?`;

export interface HealthEvent {
  applicationId: Id;
  type: EventType;
  data: string;
}

/**
 * Updates the health of one integration from its attempts, oldest first. Returns the events that go before
 * and after the events of the messages.
 */
export function recordHealth(
  db: Database,
  now: number,
  results: readonly ThreadResult[],
): { before: HealthEvent[]; after: HealthEvent[] } {
  const events = { before: [] as HealthEvent[], after: [] as HealthEvent[] };
  const reports = results.flatMap((result) => reportOf(result, now));
  const [first] = results;
  if (!first || reports.length === 0) return events;
  const { applicationId, integrationId } = first;
  const row = db.prepare(READ).get(integrationId) as Record<string, FlatValue> | undefined;
  if (!row) return events;
  const change = healthAfter(
    {
      failures: Number(row['failures'] ?? 0),
      failedAt: momentOf(row['failed_at']),
      failingSince: momentOf(row['failing_since']),
    },
    reports,
  );
  const { failures, failedAt, failingSince, lastFailure } = change;
  const verifiedAt = reports.some(({ health }) => health === 'ok') ? now : null;
  db.prepare(WRITE).run(failures || null, failedAt, failingSince, verifiedAt, integrationId);
  if (lastFailure) {
    const { detail, health, at } = lastFailure;
    db.prepare(WRITE_ERROR).run(detail, health, at, integrationId);
  }
  const channel = row['name'];
  if (typeof channel !== 'string' || channel === ENDPOINT) return events;
  const place = { applicationId, integrationId, channel, scope: 'sending' } as const;
  if (change.isRecovered) {
    events.before.push({
      applicationId,
      type: 'integration.recovered',
      data: recoveredData(place),
    });
  }
  if (change.isFailing && failingSince !== null && lastFailure) {
    const reason = lastFailure.health as FailureReason;
    const data = failingData(place, { reason, detail: lastFailure.detail, since: failingSince });
    events.after.push({ applicationId, type: 'integration.failing', data });
  }
  return events;
}

const momentOf = (value: FlatValue | undefined) =>
  (value ?? null) === null ? null : Number(value);

function reportOf({ health, attempt }: ThreadResult, now: number): HealthReport[] {
  if (health === null) return [];
  return [{ health, at: attempt?.startedAt ?? now, detail: attempt?.detail ?? null }];
}
