import { CircleCheck, CirclePause } from 'lucide-react';

import type { Application } from '../api/types.ts';
import { Badge } from '../ui/badge.tsx';

export function ApplicationState({ state }: Pick<Application, 'state'>) {
  return state === 'enable' ? (
    <Badge tone="ok">
      <CircleCheck aria-hidden />
      Enabled
    </Badge>
  ) : (
    <Badge tone="warn">
      <CirclePause aria-hidden />
      Disabled
    </Badge>
  );
}
