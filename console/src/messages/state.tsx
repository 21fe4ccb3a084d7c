import {
  Ban,
  Check,
  CheckCheck,
  CircleDashed,
  CircleHelp,
  CircleX,
  Eye,
  Hourglass,
  type LucideIcon,
  Send,
} from 'lucide-react';

import type { MessageState } from '../api/types.ts';
import { Badge, type Tone } from '../ui/badge.tsx';

interface Look {
  tone: Tone;
  icon: LucideIcon;
  label: string;
  /** Explanation in one sentence. */
  means: string;
}

export const STATES: Record<MessageState, Look> = {
  queued: {
    tone: 'neutral',
    icon: CircleDashed,
    label: 'Queued',
    means: 'Stored, and waiting for its turn.',
  },
  sending: { tone: 'busy', icon: Send, label: 'Sending', means: 'On its way to the channel.' },
  sent: { tone: 'busy', icon: Check, label: 'Sent', means: 'The channel has taken it.' },
  delivered: {
    tone: 'ok',
    icon: CheckCheck,
    label: 'Delivered',
    means: 'The channel reports that it has arrived.',
  },
  read: {
    tone: 'ok',
    icon: Eye,
    label: 'Read',
    means: 'The channel reports that it was read.',
  },
  failed: {
    tone: 'bad',
    icon: CircleX,
    label: 'Failed',
    means: 'It was not sent, and is not tried again by itself.',
  },
  uncertain: {
    tone: 'warn',
    icon: CircleHelp,
    label: 'Uncertain',
    means: 'It may have been sent: the answer of the channel was lost. You decide.',
  },
  canceled: {
    tone: 'neutral',
    icon: Ban,
    label: 'Canceled',
    means: 'Called off before it was sent.',
  },
  expired: {
    tone: 'neutral',
    icon: Hourglass,
    label: 'Expired',
    means: 'It was not sent in the time in which it was worth sending.',
  },
};

export function StateBadge({ state }: { state: MessageState }) {
  const { tone, icon: Icon, label, means } = STATES[state];
  return (
    <Badge tone={tone} title={means} state={state}>
      <Icon aria-hidden />
      {label}
    </Badge>
  );
}
