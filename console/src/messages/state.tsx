import {
  Ban,
  BellOff,
  CalendarClock,
  Check,
  CheckCheck,
  CircleDashed,
  CircleHelp,
  CircleX,
  Eye,
  Hourglass,
  Send,
} from 'lucide-react';

import type { MessageState } from '../api/types.ts';
import { Badge, type BadgeStyle } from '../ui/badge.tsx';

interface StateStyle extends BadgeStyle {
  /** Explanation in one sentence. */
  meaning: string;
}

export const STATES: Record<MessageState, StateStyle> = {
  scheduled: {
    tone: 'neutral',
    icon: CalendarClock,
    label: 'Scheduled',
    meaning: 'Stored, and sent at its time. It can be changed until then.',
  },
  queued: {
    tone: 'neutral',
    icon: CircleDashed,
    label: 'Queued',
    meaning: 'Stored and waiting to be sent.',
  },
  sending: { tone: 'busy', icon: Send, label: 'Sending', meaning: 'Being sent to the channel.' },
  sent: { tone: 'busy', icon: Check, label: 'Sent', meaning: 'Accepted by the channel.' },
  delivered: {
    tone: 'ok',
    icon: CheckCheck,
    label: 'Delivered',
    meaning: 'The channel confirmed delivery.',
  },
  read: {
    tone: 'ok',
    icon: Eye,
    label: 'Read',
    meaning: 'The channel reported that the recipient read it.',
  },
  failed: {
    tone: 'bad',
    icon: CircleX,
    label: 'Failed',
    meaning: 'Not sent, or reported as not delivered. There are no automatic retries.',
  },
  uncertain: {
    tone: 'warn',
    icon: CircleHelp,
    label: 'Uncertain',
    meaning:
      "The channel's response was lost, so the message may have been sent. Resend or cancel it.",
  },
  canceled: {
    tone: 'neutral',
    icon: Ban,
    label: 'Canceled',
    meaning: 'Canceled before it was sent, or while it was uncertain.',
  },
  expired: {
    tone: 'neutral',
    icon: Hourglass,
    label: 'Expired',
    meaning: 'Not sent before its expiry time.',
  },
  suppressed: {
    tone: 'neutral',
    icon: BellOff,
    label: 'Suppressed',
    meaning: 'Not sent: the recipient does not accept such messages.',
  },
};

export function StateBadge({ state }: { state: MessageState }) {
  const { tone, icon, label, meaning } = STATES[state];
  return (
    <Badge tone={tone} title={meaning} state={state} icon={icon}>
      {label}
    </Badge>
  );
}
