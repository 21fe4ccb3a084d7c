import { Check, type LucideIcon } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { ComponentProps, ReactNode } from 'react';

import { cn } from './cn.ts';
import { usePortalContainer } from './dialog.tsx';

/* Menus never lock scrolling: that needs a style element, which the content security policy forbids. */

const panel =
  'z-50 min-w-44 max-w-[min(22rem,calc(100vw-1rem))] overflow-y-auto overflow-x-hidden rounded-lg border border-line bg-raised p-1 text-sm shadow-raised animate-appear max-h-(--radix-dropdown-menu-content-available-height)';
const item =
  'flex select-none items-center gap-2 rounded-md px-2 py-1.5 outline-none data-highlighted:bg-hover data-disabled:opacity-50 max-sm:py-2.5 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-ink-faint';

export function Menu(props: ComponentProps<typeof DropdownMenu.Root>) {
  return <DropdownMenu.Root modal={false} {...props} />;
}

export const MenuTrigger = DropdownMenu.Trigger;

export function MenuContent({ className, ...rest }: ComponentProps<typeof DropdownMenu.Content>) {
  return (
    <DropdownMenu.Portal container={usePortalContainer()}>
      <DropdownMenu.Content
        sideOffset={4}
        collisionPadding={8}
        align="start"
        {...rest}
        className={cn(panel, className)}
      />
    </DropdownMenu.Portal>
  );
}

export interface MenuItemProps extends ComponentProps<typeof DropdownMenu.Item> {
  danger?: boolean;
}

export function MenuItem({ className, danger, ...rest }: MenuItemProps) {
  return (
    <DropdownMenu.Item
      {...rest}
      className={cn(item, danger && 'text-bad [&_svg]:text-bad', className)}
    />
  );
}

export function MenuChoice({
  className,
  children,
  ...rest
}: ComponentProps<typeof DropdownMenu.CheckboxItem>) {
  return (
    <DropdownMenu.CheckboxItem {...rest} className={cn(item, 'pr-7 relative', className)}>
      {children}
      <DropdownMenu.ItemIndicator className="absolute right-2">
        <Check className="text-accent-text!" />
      </DropdownMenu.ItemIndicator>
    </DropdownMenu.CheckboxItem>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return (
    <DropdownMenu.Label className="px-2 pt-1.5 pb-1 text-xs font-medium text-ink-faint">
      {children}
    </DropdownMenu.Label>
  );
}

export function MenuSeparator() {
  return <DropdownMenu.Separator className="-mx-1 my-1 h-px bg-line" />;
}

export interface MenuSegmentsProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly { value: NoInfer<Value>; label: string; icon: LucideIcon }[];
  onChange(value: NoInfer<Value>): void;
}

/** A row of options; choosing one keeps the menu open. */
export function MenuSegments<Value extends string>(props: MenuSegmentsProps<Value>) {
  const { label, value, options, onChange } = props;
  return (
    <DropdownMenu.RadioGroup
      aria-label={label}
      value={value}
      className="m-1 flex rounded-md bg-sunken p-0.5 ring-1 ring-line"
    >
      {options.map(({ value: option, label: name, icon: Icon }) => (
        <DropdownMenu.RadioItem
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
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  );
}
