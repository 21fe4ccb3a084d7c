import type { FeedEvent } from '../api/types.ts';
import type { Tone } from '../ui/badge.tsx';

export type EventType = FeedEvent['type'];

interface TypeLook {
  tone: Tone;
  label: string;
}

export const TYPES: Record<EventType, TypeLook> = {
  'message.received': { tone: 'accent', label: 'Somebody wrote' },
  'message.edited': { tone: 'accent', label: 'Somebody changed what they wrote' },
  'message.deleted': { tone: 'accent', label: 'Somebody took back what they wrote' },
  'message.unreadable': { tone: 'warn', label: 'Message skipped: unreadable' },
  'member.joined': { tone: 'accent', label: 'Somebody came' },
  'member.left': { tone: 'accent', label: 'Somebody left' },
  'contact.changed': { tone: 'accent', label: 'Somebody has another address' },
  'contact.opted_out': { tone: 'warn', label: 'Somebody opted out' },
  'contact.opted_in': { tone: 'accent', label: 'Somebody opted in' },
  'message.sent': { tone: 'busy', label: 'Sent' },
  'message.delivered': { tone: 'ok', label: 'Delivered' },
  'message.read': { tone: 'ok', label: 'Read' },
  'message.failed': { tone: 'bad', label: 'Failed' },
  'message.uncertain': { tone: 'warn', label: 'Uncertain' },
  'message.canceled': { tone: 'neutral', label: 'Canceled' },
  'message.expired': { tone: 'neutral', label: 'Expired' },
  'integration.failing': { tone: 'bad', label: 'An integration fails' },
  'integration.recovered': { tone: 'ok', label: 'An integration works again' },
  'webhook.paused': { tone: 'bad', label: 'The webhook is paused' },
  'webhook.test': { tone: 'neutral', label: 'A test of the webhook' },
};

const isType = (text: string): text is EventType => Object.hasOwn(TYPES, text);

/** The known types in a comma-separated list. */
export const typesOf = (text = ''): EventType[] => text.split(',').filter(isType);

/** Types that occur in a feed. */
export const FEED_TYPES = Object.keys(TYPES)
  .filter(isType)
  .filter((type) => type !== 'webhook.test');
