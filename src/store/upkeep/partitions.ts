import type { Millis } from '../../model/timestamp.ts';

/** Manages tables that are partitioned by time. */
export interface Partitions {
  /** Start of the recent partitions, which are searched first; 0 if all are. */
  readonly recent: Millis;
  /**
   * Creates partitions for the present and the near future, with a width that suits the retention; and back to
   * `since`, if older data will be stored.
   */
  createMissing(now: Millis, retention: Millis, since?: Millis): Promise<void>;
  /**
   * Drops partitions past the retention, and deletes up to `limit` older rows from others: those that are too wide, and
   * those that an application with a longer retention needs. Rows of applications with their own setting stay.
   * Returns whether there may be more to delete.
   */
  remove(now: Millis, retention: Millis, limit: number): Promise<boolean>;
}
