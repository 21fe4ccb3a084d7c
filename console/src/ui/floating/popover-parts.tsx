import { Popover } from 'radix-ui';
import type { ComponentProps } from 'react';

import { cn } from '../cn.ts';
import { usePortalContainer } from '../dialog.tsx';
import { useFloating, usePanelFocus } from './floating.tsx';

export function Panel({ className, ...rest }: ComponentProps<typeof Popover.Content>) {
  const { isOpen, setOpen, trigger } = useFloating();
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Anchor virtualRef={trigger} />
      <Popover.Portal container={usePortalContainer()}>
        <Popover.Content
          sideOffset={4}
          collisionPadding={8}
          align="start"
          {...usePanelFocus()}
          {...rest}
          className={cn(
            'z-50 w-72 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-lg border border-line bg-raised p-3 text-sm shadow-raised animate-appear max-h-(--radix-popover-content-available-height)',
            className,
          )}
        />
      </Popover.Portal>
    </Popover.Root>
  );
}
