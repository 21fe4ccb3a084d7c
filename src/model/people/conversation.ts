import type { Id } from '../id.ts';
import type { Millis } from '../timestamp.ts';

/** The messages between an integration and a recipient, in both directions. */
export interface Conversation {
  applicationId: Id;
  id: Id;
  integrationId: Id;
  /** The `to.id` of messages: a person, or a group. */
  recipient: string;
  /** The name of the person or group that the vendor last reported. */
  name: string | null;
  /** Received messages since it was last marked as read. */
  unread: number;
  /** When the last message was received or settled. */
  lastAt: Millis;
  /** The event of the last received message, and the last sent message. */
  lastEvent: number | null;
  lastMessage: Id | null;
  createdAt: Millis;
}

/** The changes that events make to a conversation. */
export type ConversationChange = Pick<
  Conversation,
  'integrationId' | 'recipient' | 'name' | 'unread' | 'lastAt' | 'lastEvent' | 'lastMessage'
> & { received: { id: number; at: Millis }[] };
