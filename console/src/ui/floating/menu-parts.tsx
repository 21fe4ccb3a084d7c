import { Check, type LucideIcon } from 'lucide-react';
import { Menu } from 'radix-ui/internal';
import type { ComponentProps, ReactNode } from 'react';

import { cn } from '../cn.ts';
import { usePortalContainer } from '../dialog.tsx';
import { useFloating, usePanelFocus } from './floating.tsx';

/*
 * Drawn by menu.tsx, which loads this file. Menus never lock scrolling: that needs a style element, which the content
 * security policy forbids.
 */

const panel =
  'z-50 min-w-44 max-w-[min(22rem,calc(100vw-1rem))] overflow-y-auto overflow-x-hidden rounded-lg border border-line bg-raised p-1 text-sm shadow-raised animate-appear max-h-(--radix-popper-available-height)';
const item =
  'flex select-none items-center gap-2 rounded-md px-2 py-1.5 outline-none data-highlighted:bg-hover data-disabled:opacity-50 max-sm:py-2.5 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-ink-faint';

export function Panel({ className, ...rest }: ComponentProps<typeof Menu.Content>) {
  const { isOpen, setOpen, trigger, triggerId } = useFloating();
  return (
    <Menu.Root modal={false} open={isOpen} onOpenChange={setOpen}>
      <Menu.Anchor virtualRef={trigger} />
      <Menu.Portal container={usePortalContainer()}>
        <Menu.Content
          sideOffset={4}
          collisionPadding={8}
          align="start"
          aria-labelledby={triggerId}
          {...usePanelFocus()}
          {...rest}
          className={cn(panel, className)}
        />
      </Menu.Portal>
    </Menu.Root>
  );
}

export interface ItemProps extends ComponentProps<typeof Menu.Item> {
  danger?: boolean;
}

export function Item({ className, danger, ...rest }: ItemProps) {
  return (
    <Menu.Item {...rest} className={cn(item, danger && 'text-bad [&_svg]:text-bad', className)} />
  );
}

export function Choice({ className, children, ...rest }: ComponentProps<typeof Menu.CheckboxItem>) {
  return (
    <Menu.CheckboxItem {...rest} className={cn(item, 'pr-7 relative', className)}>
      {children}
      <Menu.ItemIndicator className="absolute right-2">
        <Check className="text-accent-text!" />
      </Menu.ItemIndicator>
    </Menu.CheckboxItem>
  );
}

export function Label({ children }: { children: ReactNode }) {
  return (
    <Menu.Label className="px-2 pt-1.5 pb-1 text-xs font-medium text-ink-faint">
      {children}
    </Menu.Label>
  );
}

export function Separator() {
  return <Menu.Separator className="-mx-1 my-1 h-px bg-line" />;
}

export interface SegmentsProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly { value: NoInfer<Value>; label: string; icon: LucideIcon }[];
  onChange(value: NoInfer<Value>): void;
}

/** A row of options; choosing one keeps the menu open. */
export function Segments<Value extends string>(props: SegmentsProps<Value>) {
  const { label, value, options, onChange } = props;
  return (
    <Menu.RadioGroup
      aria-label={label}
      value={value}
      className="m-1 flex rounded-md bg-sunken p-0.5 ring-1 ring-line"
    >
      {options.map(({ value: option, label: name, icon: Icon }) => (
        <Menu.RadioItem
          key={option}
          value={option}
          data-value={option}
          aria-label={name}
          title={name}
          onSelect={(event) => {
            event.preventDefault();
            onChange(option);
          }}
          className="flex flex-1 cursor-pointer justify-center rounded-sm py-1.5 text-ink-faint outline-none data-highlighted:text-ink data-highlighted:ring-2 data-highlighted:ring-accent data-[state=checked]:bg-raised data-[state=checked]:text-ink data-[state=checked]:shadow-button"
        >
          <Icon className="size-4" aria-hidden />
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}
