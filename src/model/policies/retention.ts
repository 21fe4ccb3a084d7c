/** The limit of the setting of the service. */
export const MAX_RETENTION_DAYS = 36_500;
/**
 * PostgreSQL has a partition for each tenth of the service's retention: this bounds their number. 13 times the default
 * of 30 days are more than a year.
 */
const MAX_TIMES = 13;

/** The longest retention of an application, in days, if the service keeps data for `serviceDays`. */
export function longestRetention(serviceDays: number): number {
  return Math.min(MAX_RETENTION_DAYS, serviceDays * MAX_TIMES);
}
