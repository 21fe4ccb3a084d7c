import { FlaskConical } from 'lucide-react';

import type { Integration } from '../api/types.ts';
import { Badge } from '../ui/badge.tsx';
import { cn } from '../ui/cn.ts';

interface SandboxBadgeProps {
  integration: Pick<Integration, 'mode'>;
  /** Without the word, to leave room for the name. */
  compact?: boolean;
}

/** Beside the name of an integration whose vendor is simulated. */
export function SandboxBadge({ integration, compact = false }: SandboxBadgeProps) {
  if (integration.mode !== 'sandbox') return null;
  return (
    <Badge
      tone="warn"
      state="sandbox"
      title="Sandbox: its vendor is simulated, nothing leaves the machine"
      className="shrink-0"
    >
      <FlaskConical aria-hidden />
      <span className={cn(compact && 'sr-only')}>Sandbox</span>
    </Badge>
  );
}
