import type { Uncertain } from '../model/application.ts';
import type { FailureReason } from '../model/health.ts';
import type { Id } from '../model/id.ts';
import type { Message, MessageState } from '../model/message.ts';
import type { Millis } from '../model/timestamp.ts';
import type { AttemptRow } from './schema.ts';

/*
 * How delivery speaks to the store: in turns. One turn records what became of messages that were being
 * sent, and starts others: it finds the lanes that are due, and makes the first message of each `sending`.
 * When it answers, all of that is on disk.
 */
export interface Turn {
  node: string;
  now: Millis;
  settlements: readonly Settlement[];
  wants: readonly Want[];
}

export interface TurnResult {
  /** Messages whose settlement was refused: the ownership is lost, or they are not being sent any more. */
  refused: Id[];
  /** Why none of the settlements is on record, though messages were started. */
  fault?: unknown;
  taken: Taken[];
  /** Integrations with a recorded success that are still marked as failing: their recovery must be recorded. */
  recovering: Id[];
  /** One for each want, in their order. */
  standings: Standing[];
}

/** How many attempts are kept of one message: the last ones. */
export const KEPT_ATTEMPTS = 100;

/** What became of a message that was being sent. */
export interface Settlement {
  applicationId: Id;
  integrationId: Id;
  fence: number;
  messageId: Id;
  /** Which start of the message it is about. */
  start: number;
  recipient: string;
  /** `queued` when it is to be tried again, or some of its parts are still to be sent. */
  state: MessageState;
  /** Whether it counts as a failed try. */
  failed: boolean;
  partsSent: number;
  channelIds: string | null;
  reason: string | null;
  detail: string | null;
  /** When the lane may go on. A later moment than now is kept even when nothing waits in it. */
  dueAt: Millis;
  /** Why the lane waits until then. */
  waits: LaneReason | null;
  attempt: Omit<AttemptRow, 'applicationId' | 'messageId' | 'number'> | null;
  /** What the application is told of its new state, as JSON; null when it is told nothing. */
  event: string | null;
  /** The span of the attempt, or of whatever else that belongs to, for what the application is told. */
  trace: string | null;
  /** The id that the channel gave to what was sent, where the channel will report what becomes of it. */
  reportedAs: string | null;
  /** What the attempt says about the integration: it works, or why it fails. Null when it says nothing. */
  health: 'ok' | FailureReason | null;
  /** Whether the integration was failing, or had failed once, when the attempt ended. */
  wasUnhealthy: boolean;
}

export type LaneReason = 'retry' | 'rate_limit' | 'processing';

/** So many messages at the most, each of another lane. */
export interface Want {
  applicationId: Id;
  integrationId: Id;
  fence: number;
  count: number;
}

/** A message that is being sent from now on. */
export type Taken = Pick<
  Message,
  | 'id'
  | 'applicationId'
  | 'integrationId'
  | 'recipient'
  | 'activity'
  | 'attempts'
  | 'starts'
  | 'partsSent'
  | 'channelIds'
  | 'objectId'
  | 'reason'
  | 'createdAt'
  | 'trace'
>;

/** How an integration stands, as the turn found it. */
export interface Standing {
  integrationId: Id;
  /** Whether the caller owns it, under the fencing number it named. */
  owned: boolean;
  /** Whether it may send: it and its application are there and enabled, and it is not paused. */
  open: boolean;
  /** How many lanes were due. */
  found: number;
  /** When the next lane is due that is not due yet; only said when fewer were due than were wanted. */
  nextDueAt: Millis | null;
  pausedUntil: Millis | null;
  /** The channel. */
  name: string | null;
  /** Sealed. */
  credentials: string | null;
  uncertain: Uncertain | null;
  /** Whether it fails, or its last attempt failed. */
  unhealthy: boolean;
}
