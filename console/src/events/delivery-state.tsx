import { Check, CircleDashed, CircleX, RotateCcw, Send } from 'lucide-react';

import type { WebhookDelivery } from '../api/types.ts';
import { Badge, type BadgeStyle } from '../ui/badge.tsx';

const DELIVERED: BadgeStyle = { tone: 'ok', icon: Check, label: 'Delivered' };
const FAILED: BadgeStyle = { tone: 'bad', icon: CircleX, label: 'Failed' };

function badgeOf({ state, attempts }: WebhookDelivery): BadgeStyle {
  if (state === 'sent') return DELIVERED;
  if (state === 'sending') return { tone: 'busy', icon: Send, label: 'Sending' };
  if (state !== 'queued') return FAILED;
  return attempts === 0
    ? { tone: 'neutral', icon: CircleDashed, label: 'Waiting' }
    : { tone: 'warn', icon: RotateCcw, label: 'Retrying' };
}

export const isFinished = ({ state }: WebhookDelivery) => state !== 'queued' && state !== 'sending';

export function DeliveryState({ delivery }: { delivery: WebhookDelivery }) {
  const { tone, icon, label } = badgeOf(delivery);
  return (
    <Badge tone={tone} state={delivery.state} icon={icon}>
      {label}
    </Badge>
  );
}
