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
    means: 'Stored and waiting to be sent.',
  },
  sending: { tone: 'busy', icon: Send, label: 'Sending', means: 'Being sent to the channel.' },
  sent: { tone: 'busy', icon: Check, label: 'Sent', means: 'Accepted by the channel.' },
  delivered: {
    tone: 'ok',
    icon: CheckCheck,
    label: 'Delivered',
    means: 'The channel confirmed delivery.',
  },
  read: {
    tone: 'ok',
    icon: Eye,
    label: 'Read',
    means: 'The channel reported that the recipient read it.',
  },
  failed: {
    tone: 'bad',
    icon: CircleX,
    label: 'Failed',
    means: 'Not sent. There are no automatic retries.',
  },
  uncertain: {
    tone: 'warn',
    icon: CircleHelp,
    label: 'Uncertain',
    means:
      'The response of the channel was lost, so the message may have been sent. Resend or cancel it.',
  },
  canceled: {
    tone: 'neutral',
    icon: Ban,
    label: 'Canceled',
    means: 'Canceled before it was sent.',
  },
  expired: {
    tone: 'neutral',
    icon: Hourglass,
    label: 'Expired',
    means: 'Not sent before its expiry time.',
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
