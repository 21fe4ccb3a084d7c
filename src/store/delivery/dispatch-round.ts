import type { Uncertain } from '../../model/application.ts';
import type { FailureReason } from '../../model/health.ts';
import type { Id } from '../../model/id.ts';
import type { IntegrationMode } from '../../model/integration.ts';
import type { Message, MessageState } from '../../model/message.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Fields } from '../fields.ts';
import type { AttemptRow, LaneReason } from '../schema.ts';

/*
 * The interface between delivery and the store is the dispatch round. A round records the results of messages that
 * were being sent and starts others: it finds the lanes that are due and sets the first message of each to `sending`.
 * When it returns, all of this is on disk.
 */
export interface DispatchRound {
  node: string;
  now: Millis;
  results: readonly AttemptResult[];
  claims: readonly ClaimRequest[];
}

export interface DispatchResult {
  /** Messages whose result was refused: the node lost the ownership, or they are no longer being sent. */
  refused: Id[];
  /** Why no result was recorded although messages were started. */
  fault?: unknown;
  claimed: ClaimedMessage[];
  /** Integrations with a recorded success that are still marked as failing: their recovery must be recorded. */
  recovering: Id[];
  /** One per entry of `claims`, in the same order. */
  statuses: IntegrationStatus[];
}

/** Only the last attempts of a message are kept. */
export const KEPT_ATTEMPTS = 100;

/** The recorded fields of the attempt itself. */
export type AttemptRecord = Omit<AttemptRow, 'applicationId' | 'messageId' | 'number'>;

/** The result of an attempt to send a message. */
export interface AttemptResult {
  applicationId: Id;
  integrationId: Id;
  fence: number;
  messageId: Id;
  /** The start that the result belongs to. */
  start: number;
  recipient: string;
  /** `queued` if the message must be retried or has parts left to send. */
  state: MessageState;
  /** Whether it counts as a failed attempt. */
  failed: boolean;
  partsSent: number;
  channelIds: string | null;
  reason: string | null;
  detail: string | null;
  /** When the lane may continue. A time in the future is kept even if the lane is empty. */
  dueAt: Millis;
  waits: LaneReason | null;
  /** When a message that becomes `scheduled` is due. */
  releaseAt?: Millis;
  attempt: AttemptRecord | null;
  /** The event data of the new state, as JSON; null if it produces no event. */
  event: string | null;
  /** The `traceparent` for that event. */
  trace: string | null;
  /** The channel's id of the sent part, if the channel will send delivery reports for it. */
  reportedAs: string | null;
  /** The health of the integration according to the attempt: healthy, or why it fails. Null if unknown. */
  health: 'ok' | FailureReason | null;
  /** Whether the integration was failing, or had failed once, when the attempt ended. */
  wasUnhealthy: boolean;
}

/** A request to start up to `count` messages of an integration, each from another lane. */
export interface ClaimRequest {
  applicationId: Id;
  integrationId: Id;
  fence: number;
  count: number;
}

/** A message that the round started. */
export type ClaimedMessage = Pick<
  Message,
  | 'id'
  | 'applicationId'
  | 'integrationId'
  | 'recipient'
  | 'activity'
  | 'instructions'
  | 'attempts'
  | 'starts'
  | 'partsSent'
  | 'channelIds'
  | 'objectId'
  | 'reason'
  | 'createdAt'
  | 'trace'
> & {
  /** Whether its recipient does not accept it: it must not be sent. */
  suppressed?: boolean;
  /** When it left the schedule, if it was scheduled. */
  dueAt?: Millis | null;
} & Partial<Pick<Message, 'category' | 'consentKey' | 'route'>>;

/** The status of an integration, as the round found it. */
export interface IntegrationStatus {
  integrationId: Id;
  /** Whether the caller owns it, with the given fencing number. */
  owned: boolean;
  /** Whether it may send: it and its application exist and are enabled, and it is not paused. */
  open: boolean;
  /** Number of due lanes found, up to one more than requested, so that callers do not claim again for nothing. */
  found: number;
  /** When the next lane becomes due; only set if no more lanes were due than requested. */
  nextDueAt: Millis | null;
  pausedUntil: Millis | null;
  /** The name of the channel. */
  name: string | null;
  credentials: string | null;
  mode: IntegrationMode | null;
  uncertain: Uncertain | null;
  /** The application's quiet hours, as stored. */
  quietHours: string | null;
  /** Whether it is failing or its last attempt failed. */
  unhealthy: boolean;
}

/*
 * The fields that cross the SQLite thread and PostgreSQL's statements. A result has two more records: the attempt and
 * its health. `wasUnhealthy` crosses neither: it only chooses between two statements.
 */
export const RESULT_FIELDS: Fields<Omit<AttemptResult, 'attempt' | 'health' | 'wasUnhealthy'>> = {
  applicationId: 'bigint',
  integrationId: 'bigint',
  fence: 'bigint',
  messageId: 'bigint',
  start: 'int',
  recipient: 'text',
  state: 'text',
  failed: 'flag',
  partsSent: 'int',
  channelIds: 'text',
  reason: 'text',
  detail: 'text',
  dueAt: 'bigint',
  waits: 'text',
  releaseAt: 'bigint',
  event: 'text',
  trace: 'text',
  reportedAs: 'text',
};

export const HEALTH_FIELDS: Fields<Pick<AttemptResult, 'health'>> = { health: 'text' };

export const ATTEMPT_FIELDS: Fields<AttemptRecord> = {
  startedAt: 'bigint',
  duration: 'int',
  outcome: 'text',
  part: 'int',
  status: 'text',
  code: 'text',
  detail: 'text',
  request: 'text',
  withActivity: 'int',
  answer: 'text',
};

export const CLAIM_FIELDS: Fields<ClaimRequest> = {
  applicationId: 'bigint',
  integrationId: 'bigint',
  fence: 'bigint',
  count: 'int',
};

export const CLAIMED_FIELDS: Fields<ClaimedMessage> = {
  id: 'bigint',
  applicationId: 'bigint',
  integrationId: 'bigint',
  recipient: 'text',
  activity: 'text',
  instructions: 'text',
  attempts: 'int',
  starts: 'int',
  partsSent: 'int',
  channelIds: 'text',
  objectId: 'text',
  reason: 'text',
  dueAt: 'bigint',
  category: 'text',
  consentKey: 'text',
  route: 'int',
  createdAt: 'bigint',
  trace: 'text',
  suppressed: 'flag',
};

export const STATUS_FIELDS: Fields<IntegrationStatus> = {
  integrationId: 'bigint',
  owned: 'flag',
  open: 'flag',
  found: 'int',
  nextDueAt: 'bigint',
  pausedUntil: 'bigint',
  name: 'text',
  credentials: 'text',
  mode: 'text',
  uncertain: 'text',
  quietHours: 'text',
  unhealthy: 'flag',
};
