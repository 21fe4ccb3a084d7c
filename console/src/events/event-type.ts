import type { FeedEvent } from '../api/types.ts';
import type { Tone } from '../ui/badge.tsx';

export type EventType = FeedEvent['type'];

interface TypeStyle {
  tone: Tone;
  label: string;
}

export const TYPES: Record<EventType, TypeStyle> = {
  'message.received': { tone: 'accent', label: 'Message received' },
  'message.edited': { tone: 'accent', label: 'Message edited' },
  'message.deleted': { tone: 'accent', label: 'Message deleted' },
  'message.unreadable': { tone: 'warn', label: 'Message unreadable, skipped' },
  'member.joined': { tone: 'accent', label: 'Member joined' },
  'member.left': { tone: 'accent', label: 'Member left' },
  'contact.created': { tone: 'accent', label: 'Contact created' },
  'contact.erased': { tone: 'neutral', label: 'Contact erased' },
  'contact.changed': { tone: 'accent', label: 'Contact changed' },
  'contact.merged': { tone: 'accent', label: 'Contacts merged' },
  'contact.unmerged': { tone: 'accent', label: 'Contacts unmerged' },
  'contact.conflict': { tone: 'warn', label: 'Contacts in conflict' },
  'contact.opted_out': { tone: 'warn', label: 'Contact opted out' },
  'contact.opted_in': { tone: 'accent', label: 'Contact opted in' },
  'consent.revoked': { tone: 'warn', label: 'Consent revoked' },
  'consent.granted': { tone: 'accent', label: 'Consent granted' },
  'message.sent': { tone: 'busy', label: 'Message sent' },
  'message.delivered': { tone: 'ok', label: 'Message delivered' },
  'message.read': { tone: 'ok', label: 'Message read' },
  'message.failed': { tone: 'bad', label: 'Message failed' },
  'message.uncertain': { tone: 'warn', label: 'Message uncertain' },
  'message.canceled': { tone: 'neutral', label: 'Message canceled' },
  'message.expired': { tone: 'neutral', label: 'Message expired' },
  'message.deferred': { tone: 'neutral', label: 'Message deferred' },
  'message.rerouted': { tone: 'neutral', label: 'Message rerouted' },
  'message.suppressed': { tone: 'neutral', label: 'Message suppressed' },
  'integration.failing': { tone: 'bad', label: 'Integration failing' },
  'integration.recovered': { tone: 'ok', label: 'Integration recovered' },
  'webhook.paused': { tone: 'bad', label: 'Webhook paused' },
  'webhook.test': { tone: 'neutral', label: 'Webhook test' },
};

const isType = (text: string): text is EventType => Object.hasOwn(TYPES, text);

/** The known types in a comma-separated list. */
export const typesOf = (text = ''): EventType[] => text.split(',').filter(isType);

/** Types that occur in a feed. */
export const FEED_TYPES = Object.keys(TYPES)
  .filter(isType)
  .filter((type) => type !== 'webhook.test');
