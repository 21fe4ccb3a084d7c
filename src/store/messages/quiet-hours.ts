import { type WeeklyWindow, firstOutside, windowEnd } from '../../lib/time/weekly-window.ts';
import type { Category } from '../../model/sending/consent.ts';
import { recipientZone } from '../../model/sending/phone-zone.ts';
import { DAYS, type QuietHours, type QuietRule } from '../../model/sending/quiet-hours.ts';
import type { Millis } from '../../model/timestamp.ts';

/*
 * Quiet hours are checked when a message is accepted, when it leaves the schedule, and when it is started. All three
 * use this function; a policy that changes in between is therefore respected.
 */

interface QuietMessage {
  /** Null means transactional. */
  category: Category | null;
  consentKey: string | null;
  /** The zone of the contact that it was sent to, if that is known. */
  zone?: string | undefined;
}

/** Undefined if a message may leave at this time; otherwise the time at which it may, or `refused`. */
export function quietAt(
  { defaultZone, rules }: QuietHours,
  { category, consentKey, zone: contactZone }: QuietMessage,
  at: Millis,
): { until: Millis } | 'refused' | undefined {
  if (rules.length === 0) return undefined;
  const applicable = rules.filter(({ categories }) =>
    categories.includes(category ?? 'transactional'),
  );
  // Deletions have no consent key: they disturb nobody.
  if (applicable.length === 0 || consentKey === null) return undefined;
  const zone = contactZone ?? recipientZone(consentKey) ?? defaultZone ?? 'UTC';
  const active = applicable.filter((rule) => windowEnd(windowOf(rule), at, zone) !== undefined);
  if (active.length === 0) return undefined;
  if (active.some(({ action }) => action === 'refuse')) return 'refused';
  const until = firstOutside(applicable.map(windowOf), at, zone);
  return until === undefined ? 'refused' : { until };
}

export function windowOf({ days, from, until }: QuietRule): WeeklyWindow {
  return {
    days: days.map((day) => DAYS.indexOf(day)),
    from: minutesOf(from),
    until: minutesOf(until),
  };
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}
