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
   * Drops partitions that contain only rows older than `before`, and deletes up to `limit` older rows from others.
   * Returns whether there may be more to delete.
   */
  remove(before: Millis, retention: Millis, limit: number): Promise<boolean>;
}
