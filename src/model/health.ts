import type { Id } from './id.ts';
import { type Millis, timestamp } from './timestamp.ts';

/*
 * An integration is failing after this many consecutive failed attempts, or after a failed check. Failures caused by
 * a recipient or by content, and rate limits, do not count. One success ends the failing period.
 */
export const FAILING_AFTER = 2;

/** `credentials`: the channel refuses them. `transient`: the channel is unreachable or out of order. */
export type FailureReason = 'credentials' | 'transient';

export interface HealthReport {
  health: 'ok' | FailureReason;
  at: Millis;
  detail: string | null;
}

export interface HealthRecord {
  failures: number;
  /** The time of the first of these failures. */
  failedAt: Millis | null;
  failingSince: Millis | null;
}

interface HealthChange extends HealthRecord {
  /** These reports ended a failing period. */
  isRecovered: boolean;
  /** These reports started a failing period that still lasts. */
  isFailing: boolean;
  lastFailure: HealthReport | undefined;
}

/** Applies reports, oldest first. A failing period that starts and ends within them is not reported. */
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

/** Sending and receiving fail and recover separately: an email server may accept mail while its mailbox is unreachable. */
export type HealthScope = 'sending' | 'receiving';

interface Place {
  applicationId: Id;
  integrationId: Id;
  channel: string;
  scope: HealthScope;
}

export function failingData(
  place: Place,
  { reason, detail, since }: { reason: string; detail: string | null; since: Millis },
): string {
  return JSON.stringify({ ...placeOf(place), reason, detail, since: timestamp(since) });
}

export const recoveredData = (place: Place): string => JSON.stringify(placeOf(place));

const placeOf = ({ applicationId, integrationId, channel, scope }: Place) => ({
  application_id: applicationId,
  integration_id: integrationId,
  channel,
  scope,
});
