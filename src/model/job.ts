import type { Id } from './id.ts';
import type { Millis } from './timestamp.ts';

/*
 * counting → running → done
 *    └──────────┴────→ canceled
 */
export const JOB_STATES = ['counting', 'running', 'done', 'canceled'] as const;

export type JobState = (typeof JOB_STATES)[number];

/** A bulk operation on messages of an application, executed in batches. */
export interface Job {
  id: Id;
  applicationId: Id;
  kind: 'resend';
  state: JobState;
  /** The caller's filter, as JSON. */
  filter: string;
  /** The filter as the store evaluates it, as JSON. */
  wanted: string;
  /** Number of messages, as far as counted. */
  total: number;
  done: number;
  /** Skipped messages: integration deleted (`orphaned`), or state changed since (`changed`). */
  orphaned: number;
  changed: number;
  /** The last message counted or processed: its acceptance time and id. */
  afterAt: Millis;
  afterId: Id;
  /** The node that works on it, as long as that node is alive. */
  node: string | null;
  createdAt: Millis;
  updatedAt: Millis;
  finishedAt: Millis | null;
}
