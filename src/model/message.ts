import type { Id } from './id.ts';
import type { Millis } from './timestamp.ts';

/*
 * queued → sending → sent → delivered → read
 *   │         ├────→ failed
 *   │         └────→ uncertain → queued (a person decides) | sent | failed
 *   ├→ canceled
 *   └→ expired
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
  createdAt: Millis;
  updatedAt: Millis;
}

/** A message that has been checked and routed, and only lacks its number. */
export type NewMessage = Pick<
  Message,
  'applicationId' | 'integrationId' | 'recipient' | 'activity' | 'createdAt'
>;

const NEXT: Readonly<Record<MessageState, readonly MessageState[]>> = {
  queued: ['sending', 'canceled', 'expired', 'failed'],
  sending: ['sent', 'queued', 'failed', 'uncertain', 'expired'],
  sent: ['delivered', 'read', 'failed'],
  delivered: ['read'],
  read: [],
  failed: ['queued'],
  canceled: ['queued'],
  expired: ['queued'],
  uncertain: ['queued', 'sent', 'delivered', 'read', 'failed', 'canceled'],
};

/** The one place that says how a message may go from state to state. */
export function mayBecome(from: MessageState, to: MessageState): boolean {
  return NEXT[from].includes(to);
}
