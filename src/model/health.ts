import type { Id } from './id.ts';
import { type Millis, timestamp } from './timestamp.ts';

/*
 * When an integration counts as failing: after this many consecutive failed attempts, or a failed check. Faults of a
 * recipient or of content, and rate limits, say nothing about it. One success ends the failing period.
 */
export const FAILING_AFTER = 2;

/** Why an integration fails: the channel refuses its credentials, or cannot be reached or is out of order. */
export type FailureReason = 'credentials' | 'transient';

/** What one attempt says about its integration. */
export interface HealthReport {
  health: 'ok' | FailureReason;
  at: Millis;
  detail: string | null;
}

export interface HealthRecord {
  /** Consecutive failures. */
  failures: number;
  /** When the first of them happened. */
  failedAt: Millis | null;
  failingSince: Millis | null;
}

export interface HealthChange extends HealthRecord {
  /** A failing period ended with these reports. */
  isRecovered: boolean;
  /** A failing period began with them, and lasts. */
  isFailing: boolean;
  lastFailure: HealthReport | undefined;
}

/** Health after several reports, the oldest first. A period that begins and ends within them is not told. */
export function healthAfter(before: HealthRecord, reports: readonly HealthReport[]): HealthChange {
  const lastSuccess = reports.findLastIndex(({ health }) => health === 'ok');
  const streak = reports.slice(lastSuccess + 1);
  const start = lastSuccess < 0 ? before : { failures: 0, failedAt: null, failingSince: null };
  const failures = start.failures + streak.length;
  const failedAt = start.failedAt ?? streak[0]?.at ?? null;
  const failingSince = start.failingSince ?? (failures >= FAILING_AFTER ? failedAt : null);
  return {
    failures,
    failedAt,
    failingSince,
    isRecovered: lastSuccess >= 0 && before.failingSince !== null,
    isFailing: failingSince !== null && start.failingSince === null,
    lastFailure: reports.findLast(({ health }) => health !== 'ok'),
  };
}

interface Place {
  applicationId: Id;
  integrationId: Id;
  channel: string;
}

/** The data of `integration.failing`. */
export function failingData(
  place: Place,
  { reason, detail, since }: { reason: string; detail: string | null; since: Millis },
): string {
  return JSON.stringify({ ...placeOf(place), reason, detail, since: timestamp(since) });
}

/** The data of `integration.recovered`. */
export const recoveredData = (place: Place): string => JSON.stringify(placeOf(place));

const placeOf = ({ applicationId, integrationId, channel }: Place) => ({
  application_id: applicationId,
  integration_id: integrationId,
  channel,
});
