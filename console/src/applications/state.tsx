import { CircleCheck, CirclePause } from 'lucide-react';

import type { Application } from '../api/types.ts';
import { Badge } from '../ui/badge.tsx';

export function ApplicationState({ state }: Pick<Application, 'state'>) {
  return state === 'enable' ? (
    <Badge tone="ok" state={state}>
      <CircleCheck aria-hidden />
      Enabled
    </Badge>
  ) : (
    <Badge tone="warn" state={state}>
      <CirclePause aria-hidden />
      Disabled
    </Badge>
  );
}
