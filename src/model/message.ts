import type { ActivityType } from './activity.ts';
import type { Id } from './id.ts';
import type { Category } from './sending/consent.ts';
import type { Millis } from './timestamp.ts';

/*
 * queued ⇄ sending → sent → delivered → read
 *   │         ├────→ failed
 *   │         ├────→ uncertain
 *   │         └────→ suppressed
 *   ├→ canceled
 *   ├→ suppressed
 *   └→ expired
 *
 * Resending a failed, canceled, expired, suppressed or uncertain message makes it queued again. A delivery report of the
 * channel may still change an uncertain message, and one that the channel reported as failed.
 */
export const MESSAGE_STATES = [
  'queued',
  'sending',
  'sent',
  'delivered',
  'read',
  'failed',
  'canceled',
  'expired',
  'uncertain',
  'suppressed',
] as const;

export type MessageState = (typeof MESSAGE_STATES)[number];

export interface Message {
  id: Id;
  applicationId: Id;
  integrationId: Id;
  /** The recipient in the channel's notation. */
  recipient: string;
  state: MessageState;
  /** The activity byte for byte as received. */
  activity: string;
  /** Instructions beside the activity, as JSON. */
  instructions: string | null;
  /** Why it is sent; null means transactional. */
  category: Category | null;
  /** The address whose consent it needs; null if it needs none. */
  consentKey: string | null;
  /** The caller's id: `object.id` of the activity. */
  objectId: string | null;
  /**
   * Create, Update or Delete of the object; or `Event`, for the delivery of an event to a webhook, where `objectId`
   * is the number of the event.
   */
  type: ActivityType | 'Event';
  /** The position in the lane: the id, until the message is resent. */
  sequence: number;
  /** Failed attempts; rate limits do not count. */
  attempts: number;
  /** Number of starts. Results of an earlier start are ignored. */
  starts: number;
  /** Parts already sent. */
  partsSent: number;
  /** The channel's ids of these parts, as a JSON array. */
  channelIds: string | null;
  /** The message must not be sent after this time. */
  expiresAt: Millis | null;
  /** Why it waits for a retry or has failed: one of FAULTS. */
  reason: string | null;
  /** Explanation of the reason, in the words of the channel. */
  detail: string | null;
  createdAt: Millis;
  updatedAt: Millis;
  /** The time it was settled; 0 until then and after a resend. Later delivery reports do not change it. */
  settledAt: Millis;
  /** When the channel reported delivery; null if it reported only that the message was read. */
  deliveredAt: Millis | null;
  /** The `traceparent` of the span that accepted it, if traced; parent of its attempts. */
  trace: string | null;
}

/** A message with its number of recorded attempts. `attempts` counts failed ones only. */
export type CountedMessage = Message & { attemptCount: number };

/** A validated and routed message without an id. */
export type NewMessage = Pick<
  Message,
  | 'applicationId'
  | 'integrationId'
  | 'recipient'
  | 'activity'
  | 'objectId'
  | 'type'
  | 'expiresAt'
  | 'createdAt'
> &
  Partial<Pick<Message, 'instructions' | 'category' | 'consentKey' | 'trace'>>;

const NEXT: Readonly<Record<MessageState, readonly MessageState[]>> = {
  queued: ['sending', 'canceled', 'expired', 'failed', 'suppressed'],
  sending: ['sent', 'queued', 'failed', 'uncertain', 'expired', 'suppressed'],
  sent: ['delivered', 'read', 'failed'],
  delivered: ['read'],
  read: [],
  failed: ['queued', 'delivered', 'read'],
  canceled: ['queued'],
  expired: ['queued'],
  suppressed: ['queued'],
  uncertain: ['queued', 'sent', 'delivered', 'read', 'failed', 'canceled'],
};

/** The only definition of the allowed state transitions. */
export function mayBecome(from: MessageState, to: MessageState): boolean {
  return NEXT[from].includes(to);
}

/** The states that may precede this one. */
export function mayPrecede(to: MessageState): MessageState[] {
  return MESSAGE_STATES.filter((from) => mayBecome(from, to));
}

/** Whether delivery is over, unless someone resends the message. */
export function isSettled(state: MessageState): boolean {
  return state !== 'queued' && state !== 'sending';
}

/** Whether all parts were sent. */
export function isSent(state: MessageState): boolean {
  return state === 'sent' || state === 'delivered' || state === 'read';
}
