import type { Id } from './id.ts';
import type { Millis } from './timestamp.ts';

/** How one try to send ended. */
export const ATTEMPT_OUTCOMES = ['sent', 'limited', 'transient', 'uncertain', 'permanent'] as const;

export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** How many characters are kept of a request and of an answer. */
export const KEPT_CHARACTERS = 2_000;

/** One try to send one part of a message. Nothing in it is secret. */
export interface Attempt {
  applicationId: Id;
  messageId: Id;
  /** Which start of the message it was, counted from 1. */
  number: number;
  startedAt: Millis;
  /** In milliseconds. */
  duration: number;
  outcome: AttemptOutcome;
  /** Which part of the message it was, counted from 1. */
  part: number;
  /** Of the channel's answer: an HTTP status, or what its protocol has instead. */
  status: string | null;
  /** The channel's own name for what went wrong. */
  code: string | null;
  /** What happened, in words. */
  detail: string | null;
  request: string | null;
  answer: string | null;
}
