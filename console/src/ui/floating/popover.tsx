import type { ComponentProps } from 'react';

import {
  FloatingRoot,
  type FloatingRootProps,
  FloatingTrigger,
  type TriggerProps,
  loadedOnce,
  useFloating,
} from './floating.tsx';
import type * as PopoverParts from './popover-parts.tsx';

const usePopoverParts = loadedOnce(() => import('./popover-parts.tsx'));

export function Popover(props: FloatingRootProps) {
  return <FloatingRoot {...props} />;
}

export function PopoverTrigger(props: TriggerProps) {
  return <FloatingTrigger opens="dialog" {...props} />;
}

export function PopoverContent(props: ComponentProps<typeof PopoverParts.Panel>) {
  const { isNeeded } = useFloating();
  const parts = usePopoverParts(isNeeded);
  return parts ? <parts.Panel {...props} /> : null;
}
