import { FlaskConical } from 'lucide-react';

import type { Integration } from '../api/types.ts';
import { Badge } from '../ui/badge.tsx';

/** Beside the name of an integration whose vendor is simulated. */
export function SandboxBadge({ integration }: { integration: Pick<Integration, 'mode'> }) {
  if (integration.mode !== 'sandbox') return null;
  return (
    <Badge tone="warn" state="sandbox" title="Its vendor is simulated: nothing leaves the machine">
      <FlaskConical aria-hidden />
      Sandbox
    </Badge>
  );
}
