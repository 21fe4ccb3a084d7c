import type { Millis } from '../model/timestamp.ts';

/** The tables that grow for as long as the service runs, in pieces that each hold what was of one time. */
export interface Partitions {
  /** Since when what happened is in the pieces that are looked at first; 0 when all of them are. */
  readonly recent: Millis;
  /**
   * Makes pieces for the present and for what comes next, as long each as suits what is kept for so long; and for
   * what was before, back to `since`, where that is to be stored as well.
   */
  arrange(now: Millis, retention: Millis, since?: Millis): Promise<void>;
  /**
   * Drops the pieces that hold nothing younger, and where older rows are in others removes up to `limit` of them.
   * Answers whether there may be more of those.
   */
  remove(before: Millis, retention: Millis, limit: number): Promise<boolean>;
}
