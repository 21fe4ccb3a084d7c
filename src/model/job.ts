import type { Id } from './id.ts';
import type { Millis } from './timestamp.ts';

/*
 * counting → running → done
 *    └──────────┴────→ canceled
 */
export const JOB_STATES = ['counting', 'running', 'done', 'canceled'] as const;

export type JobState = (typeof JOB_STATES)[number];

/** Something that is done to many messages of an application, little by little. */
export interface Job {
  id: Id;
  applicationId: Id;
  kind: 'resend';
  state: JobState;
  /** Which messages were asked for, as JSON in the words of whoever asked. */
  filter: string;
  /** The same as the store looks for them, as JSON. */
  wanted: string;
  /** How many it is about, as far as they have been counted. */
  total: number;
  done: number;
  /** Those left alone because their integration is gone, or because they need it no more. */
  orphaned: number;
  changed: number;
  /** The message that was counted or seen to last: when it was accepted, and its number. */
  afterAt: Millis;
  afterId: Id;
  /** Who alone goes on with it, for as long as that node lives. */
  node: string | null;
  createdAt: Millis;
  updatedAt: Millis;
  finishedAt: Millis | null;
}
