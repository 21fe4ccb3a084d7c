import type { Category } from './consent.ts';

export const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

export type Day = (typeof DAYS)[number];

export const QUIET_ACTIONS = ['defer', 'refuse'] as const;

/** A time of the day in which messages of these categories do not leave. */
export interface QuietRule {
  categories: readonly Category[];
  /** The days on which it begins. */
  days: readonly Day[];
  /** `HH:MM`, in the zone of the recipient. */
  from: string;
  /** On the next day if it is not after `from`. */
  until: string;
  action: (typeof QUIET_ACTIONS)[number];
}

/** The times at which an application sends no messages. */
export interface QuietHours {
  /** The zone of recipients whose own is unknown. */
  defaultZone: string | null;
  rules: readonly QuietRule[];
}

export const NO_QUIET_HOURS: QuietHours = { defaultZone: null, rules: [] };

/** As stored: null if there are none. */
export function writeQuietHours(quietHours: QuietHours): string | null {
  const { defaultZone, rules } = quietHours;
  return defaultZone === null && rules.length === 0 ? null : JSON.stringify(quietHours);
}

export function readQuietHours(stored: string | null): QuietHours {
  return stored === null ? NO_QUIET_HOURS : (JSON.parse(stored) as QuietHours);
}
