import type { ActivityType } from './activity.ts';
import type { Id } from './id.ts';
import type { Millis } from './timestamp.ts';

/*
 * queued ⇄ sending → sent → delivered → read
 *   │         ├────→ failed
 *   │         └────→ uncertain
 *   ├→ canceled
 *   └→ expired
 *
 * Whoever resends a message that is failed, canceled, expired or uncertain makes it queued again. A report
 * of the channel may yet settle one that is uncertain, and one that was reported to have failed.
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
] as const;

export type MessageState = (typeof MESSAGE_STATES)[number];

export interface Message {
  id: Id;
  applicationId: Id;
  integrationId: Id;
  /** The recipient as the channel writes it. */
  recipient: string;
  state: MessageState;
  /** The activity as it was sent to us, byte for byte. */
  activity: string;
  /** What the caller calls it: the id of the activity's object. */
  objectId: string | null;
  /**
   * Whether it is a message of its own, or changes or takes back an earlier one of that object; or the delivery
   * of an event, which is nobody's message, by the number of the event.
   */
  type: ActivityType | 'Event';
  /** Its place in the lane of its recipient: its id, until it is resent. */
  sequence: number;
  /** How many tries have failed; a rate limit is no failure. */
  attempts: number;
  /** How often it was started: what became of an earlier start is not taken for this one's. */
  starts: number;
  /** How many parts of it are out already. */
  partsSent: number;
  /** The channel's own ids of those parts, as a JSON array. */
  channelIds: string | null;
  /** When it is not worth sending any more. */
  expiresAt: Millis | null;
  /** Why it waits for another try or came to nothing: one of FAULTS. */
  reason: string | null;
  /** The same in the words of the channel. */
  detail: string | null;
  createdAt: Millis;
  updatedAt: Millis;
  /** When it was settled; 0 until then, and again once it is resent. Reports that come later leave it. */
  settledAt: Millis;
  /** When the channel reported that it has arrived; null where it reported only that it was read. */
  deliveredAt: Millis | null;
  /** The span in which it was accepted, as a `traceparent`, where that is traced: its attempts belong there. */
  trace: string | null;
}

/** A message with the number of attempts on record. `attempts` counts only those that failed. */
export type CountedMessage = Message & { attemptCount: number };

/** A message that has been checked and routed, and only lacks its number. */
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
  Partial<Pick<Message, 'trace'>>;

const NEXT: Readonly<Record<MessageState, readonly MessageState[]>> = {
  queued: ['sending', 'canceled', 'expired', 'failed'],
  sending: ['sent', 'queued', 'failed', 'uncertain', 'expired'],
  sent: ['delivered', 'read', 'failed'],
  delivered: ['read'],
  read: [],
  failed: ['queued', 'delivered', 'read'],
  canceled: ['queued'],
  expired: ['queued'],
  uncertain: ['queued', 'sent', 'delivered', 'read', 'failed', 'canceled'],
};

/** The one place that says how a message may go from state to state. */
export function mayBecome(from: MessageState, to: MessageState): boolean {
  return NEXT[from].includes(to);
}

/** The states from which a message may go there. */
export function mayPrecede(to: MessageState): MessageState[] {
  return MESSAGE_STATES.filter((from) => mayBecome(from, to));
}

/** Whether nothing more will be done about it unless somebody asks. */
export function isSettled(state: MessageState): boolean {
  return state !== 'queued' && state !== 'sending';
}

/** Whether all of it is out. */
export function isSent(state: MessageState): boolean {
  return state === 'sent' || state === 'delivered' || state === 'read';
}
