import { CircleCheck, CircleDashed, CircleSlash } from 'lucide-react';

import type { Consent } from '../api/types.ts';
import { Badge, type BadgeStyle } from '../ui/badge.tsx';

const STATES: Record<Consent['state'], BadgeStyle> = {
  granted: { tone: 'ok', icon: CircleCheck, label: 'Granted' },
  pending: { tone: 'neutral', icon: CircleDashed, label: 'Pending' },
  revoked: { tone: 'bad', icon: CircleSlash, label: 'Revoked' },
};

export function ConsentState({ state }: Pick<Consent, 'state'>) {
  const { tone, icon, label } = STATES[state];
  return (
    <Badge tone={tone} state={state} icon={icon}>
      {label}
    </Badge>
  );
}

export const SCOPES: Record<Consent['scope'], string> = {
  all: 'All messages',
  marketing: 'Marketing',
  vendor: 'Vendor block',
};

export const SOURCES: Record<Consent['source'], string> = {
  api: 'API',
  import: 'Import',
  keyword: 'Reply',
  preference: 'Setting in the app',
  unsubscribe: 'Unsubscribe link',
  bounce: 'Bounce',
  complaint: 'Spam complaint',
  vendor: 'Vendor',
};
