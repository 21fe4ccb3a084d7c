import { Popover as RadixPopover, Tooltip as RadixTooltip } from 'radix-ui';
import type { ComponentProps, ReactNode } from 'react';

import { cn } from './cn.ts';
import { usePortalContainer } from './dialog.tsx';

export const Popover = RadixPopover.Root;
export const PopoverTrigger = RadixPopover.Trigger;
export const PopoverClose = RadixPopover.Close;

export function PopoverContent({
  className,
  ...rest
}: ComponentProps<typeof RadixPopover.Content>) {
  return (
    <RadixPopover.Portal container={usePortalContainer()}>
      <RadixPopover.Content
        sideOffset={4}
        collisionPadding={8}
        align="start"
        {...rest}
        className={cn(
          'z-50 w-72 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-lg border border-line bg-raised p-3 text-sm shadow-raised animate-appear max-h-(--radix-popover-content-available-height)',
          className,
        )}
      />
    </RadixPopover.Portal>
  );
}

export const TooltipProvider = RadixTooltip.Provider;

/** A short explanation. Never the only place for it: touch screens have no hover. */
export function Tooltip({ text, children }: { text: ReactNode; children: ReactNode }) {
  const container = usePortalContainer();
  return (
    <RadixTooltip.Root>
      <RadixTooltip.Trigger asChild>{children}</RadixTooltip.Trigger>
      <RadixTooltip.Portal container={container}>
        <RadixTooltip.Content
          sideOffset={5}
          collisionPadding={8}
          className="z-50 max-w-xs rounded-md bg-ink px-2 py-1 text-xs text-canvas shadow-raised animate-appear"
        >
          {text}
        </RadixTooltip.Content>
      </RadixTooltip.Portal>
    </RadixTooltip.Root>
  );
}
