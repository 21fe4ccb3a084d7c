import { Check, CircleDashed, CircleX, type LucideIcon, RotateCcw, Send } from 'lucide-react';

import type { WebhookDelivery } from '../api/types.ts';
import { Badge, type Tone } from '../ui/badge.tsx';

interface Look {
  tone: Tone;
  icon: LucideIcon;
  label: string;
}

const TAKEN: Look = { tone: 'ok', icon: Check, label: 'Delivered' };
const NOT: Look = { tone: 'bad', icon: CircleX, label: 'Failed' };

function lookOf({ state, attempts }: WebhookDelivery): Look {
  if (state === 'sent') return TAKEN;
  if (state === 'sending') return { tone: 'busy', icon: Send, label: 'Sending' };
  if (state !== 'queued') return NOT;
  return attempts === 0
    ? { tone: 'neutral', icon: CircleDashed, label: 'Waiting' }
    : { tone: 'warn', icon: RotateCcw, label: 'Retrying' };
}

export const isOver = ({ state }: WebhookDelivery) => state !== 'queued' && state !== 'sending';

export function DeliveryState({ delivery }: { delivery: WebhookDelivery }) {
  const { tone, icon: Icon, label } = lookOf(delivery);
  return (
    <Badge tone={tone} state={delivery.state}>
      <Icon aria-hidden />
      {label}
    </Badge>
  );
}
