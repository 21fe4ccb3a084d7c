import type { Id } from './id.ts';
import type { Millis } from './timestamp.ts';

/** The outcome of one attempt to send. */
export const ATTEMPT_OUTCOMES = ['sent', 'limited', 'transient', 'uncertain', 'permanent'] as const;

export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** Stored characters per request and per response. */
export const MAX_RECORDED_LENGTH = 2_000;

/** An attempt to send one part of a message. Contains no secrets. */
export interface Attempt {
  applicationId: Id;
  messageId: Id;
  /** Which start of the message made it, counted from 1. */
  number: number;
  startedAt: Millis;
  /** Milliseconds. */
  duration: number;
  outcome: AttemptOutcome;
  /** The part of the message, counted from 1. */
  part: number;
  /** The HTTP status, or the equivalent in the channel's protocol. */
  status: string | null;
  /** The channel's error code. */
  code: string | null;
  detail: string | null;
  request: string | null;
  answer: string | null;
}
