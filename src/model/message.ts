import type { ActivityType } from './activity.ts';
import type { Id } from './id.ts';
import type { Category } from './sending/consent.ts';
import type { NewRoute } from './sending/message-route.ts';
import type { Millis } from './timestamp.ts';

/*
 * scheduled ⇄ queued ⇄ sending → sent → delivered → read
 *   │           │         ├────→ failed
 *   │           │         ├────→ uncertain
 *   │           │         └────→ suppressed, scheduled
 *   ├───────────┼→ canceled, suppressed, failed
 *   │           └→ expired
 *
 * A scheduled message waits outside the lanes until it is due. A message with routes is scheduled between two of them,
 * whatever its state was; if a late report shows that an earlier route got further, the message takes that state.
 * Resending a failed, canceled, expired, suppressed or uncertain message queues it again. A delivery report can fail a
 * sent message, and change an uncertain one and one that failed. An uncertain message can also be canceled.
 */
export const MESSAGE_STATES = [
  'scheduled',
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
  /** The number of the active route; null if the message has one integration only. */
  route: number | null;
  /** Number of starts. Results of an earlier start are ignored. */
  starts: number;
  /** Parts already sent. */
  partsSent: number;
  /** The channel's ids of these parts, as a JSON array. */
  channelIds: string | null;
  /** When it leaves, or left, the schedule; null if it was queued at once. */
  dueAt: Millis | null;
  /** The message must not be sent after this time. */
  expiresAt: Millis | null;
  /** Why it waits for a retry or has failed: one of FAULTS. */
  reason: string | null;
  /** Explanation of the reason, in the words of the channel. */
  detail: string | null;
  createdAt: Millis;
  updatedAt: Millis;
  /**
   * The time it was settled; 0 until then and after a resend, SCHEDULED while it is scheduled. Later delivery reports do
   * not change it.
   */
  settledAt: Millis;
  /** When the channel reported delivery; null if it reported only that the message was read. */
  deliveredAt: Millis | null;
  /** The `traceparent` of the span that accepted it, if traced; parent of its attempts. */
  trace: string | null;
}

/** `settledAt` of a scheduled message. */
export const SCHEDULED = -1;

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
  Partial<
    Pick<
      Message,
      'instructions' | 'category' | 'consentKey' | 'dueAt' | 'reason' | 'trace' | 'route'
    >
  > & {
    /** All routes of a message that has several; `route` is the first that is tried. */
    routes?: readonly NewRoute[];
  };

/**
 * Why a state changes. `delivery`: claims, results of attempts and expiry; `release`: the scheduled time has come;
 * `receipt`: a delivery report; `request`: the application or a person; `route`: a route ended, and the next one starts
 * or the chain ends.
 */
export type Cause = 'delivery' | 'release' | 'receipt' | 'request' | 'resend' | 'route';

type Transitions = Partial<Record<MessageState, Cause | readonly Cause[]>>;

const NEXT: Readonly<Record<MessageState, Transitions>> = {
  scheduled: {
    queued: 'release',
    failed: ['release', 'route'],
    canceled: 'request',
    suppressed: ['request', 'route'],
    expired: 'route',
    // An earlier route got further than the last one.
    sent: 'route',
    delivered: 'route',
    read: 'route',
    uncertain: 'route',
  },
  queued: {
    sending: 'delivery',
    canceled: 'request',
    expired: 'delivery',
    failed: 'delivery',
    suppressed: 'delivery',
    scheduled: 'route',
    sent: 'route',
    delivered: 'route',
    read: 'route',
  },
  sending: {
    sent: 'delivery',
    queued: 'delivery',
    scheduled: 'delivery',
    failed: 'delivery',
    uncertain: 'delivery',
    suppressed: 'delivery',
  },
  sent: { delivered: 'receipt', read: 'receipt', failed: 'receipt', scheduled: 'route' },
  delivered: { read: 'receipt', scheduled: 'route' },
  read: {},
  failed: { queued: 'resend', delivered: 'receipt', read: 'receipt' },
  canceled: { queued: 'resend' },
  expired: { queued: 'resend' },
  suppressed: { queued: 'resend' },
  uncertain: {
    queued: 'resend',
    sent: 'receipt',
    delivered: 'receipt',
    read: 'receipt',
    failed: 'receipt',
    canceled: 'request',
    scheduled: 'route',
  },
};

/** The only definition of the allowed state transitions. Without a cause: whether any cause allows it. */
export function mayBecome(from: MessageState, to: MessageState, cause?: Cause): boolean {
  const allowed = NEXT[from][to];
  return allowed !== undefined && (cause === undefined || [allowed].flat().includes(cause));
}

/** The states that may precede this one. */
export function mayPrecede(to: MessageState, cause?: Cause): MessageState[] {
  return MESSAGE_STATES.filter((from) => mayBecome(from, to, cause));
}

/** Whether delivery is over, unless someone resends the message. */
export function isSettled(state: MessageState): boolean {
  return state !== 'scheduled' && state !== 'queued' && state !== 'sending';
}

/** Whether all parts were sent. */
export function isSent(state: MessageState): boolean {
  return state === 'sent' || state === 'delivered' || state === 'read';
}
