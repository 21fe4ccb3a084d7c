import {
  CalendarClock,
  Ban,
  BellOff,
  BellRing,
  Check,
  CheckCheck,
  CircleHelp,
  CirclePause,
  CircleX,
  Eraser,
  Eye,
  FileWarning,
  FlaskConical,
  HeartPulse,
  Hourglass,
  type LucideIcon,
  MessageSquare,
  Pencil,
  Route,
  Unplug,
  UserMinus,
  UserPen,
  UserPlus,
} from 'lucide-react';

import { Badge } from '../ui/badge.tsx';
import { type EventType, TYPES } from './event-type.ts';

const ICONS: Record<EventType, LucideIcon> = {
  'message.received': MessageSquare,
  'message.edited': Pencil,
  'message.deleted': Eraser,
  'message.unreadable': FileWarning,
  'member.joined': UserPlus,
  'member.left': UserMinus,
  'contact.created': UserPlus,
  'contact.erased': UserMinus,
  'contact.changed': UserPen,
  'contact.merged': UserPen,
  'contact.unmerged': UserPen,
  'contact.conflict': UserPen,
  'contact.opted_out': BellOff,
  'contact.opted_in': BellRing,
  'consent.revoked': BellOff,
  'consent.granted': BellRing,
  'message.sent': Check,
  'message.delivered': CheckCheck,
  'message.read': Eye,
  'message.failed': CircleX,
  'message.uncertain': CircleHelp,
  'message.canceled': Ban,
  'message.expired': Hourglass,
  'message.deferred': CalendarClock,
  'message.rerouted': Route,
  'message.suppressed': BellOff,
  'integration.failing': Unplug,
  'integration.recovered': HeartPulse,
  'webhook.paused': CirclePause,
  'webhook.test': FlaskConical,
};

export function EventIcon({ type }: { type: EventType }) {
  const Icon = ICONS[type];
  return <Icon aria-hidden />;
}

export function EventBadge({ type }: { type: EventType }) {
  const { tone, label } = TYPES[type];
  return (
    <Badge tone={tone} title={label} className="font-mono text-[0.6875rem] leading-4">
      <EventIcon type={type} />
      {type}
    </Badge>
  );
}
