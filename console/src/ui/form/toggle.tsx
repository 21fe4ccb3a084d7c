import { Switch as RadixSwitch } from 'radix-ui';
import type { InputHTMLAttributes, ReactNode } from 'react';

import { cn } from '../cn.ts';

interface SwitchProps {
  checked: boolean;
  onChange(checked: boolean): void;
  disabled?: boolean;
  label: string;
  testId?: string;
}

export function Switch({ checked, onChange, disabled, label, testId }: SwitchProps) {
  return (
    <RadixSwitch.Root
      checked={checked}
      onCheckedChange={onChange}
      disabled={disabled ?? false}
      aria-label={label}
      data-testid={testId}
      className="inline-flex h-5 w-9 shrink-0 items-center rounded-full border border-transparent bg-line-strong p-0.5 transition-colors disabled:opacity-50 data-[state=checked]:bg-accent"
    >
      <RadixSwitch.Thumb className="size-3.5 rounded-full bg-white shadow-button transition-transform data-[state=checked]:translate-x-4" />
    </RadixSwitch.Root>
  );
}

interface CheckboxProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type'> {
  label: ReactNode;
}

export function Checkbox({ label, className, ...rest }: CheckboxProps) {
  return (
    <label className={cn('flex items-start gap-2 text-sm', className)}>
      <input
        {...rest}
        type="checkbox"
        className="mt-0.5 size-4 shrink-0 rounded-sm accent-accent"
      />
      <span>{label}</span>
    </label>
  );
}

export interface SegmentsProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly { value: NoInfer<Value>; label: ReactNode; title?: string }[];
  onChange(value: NoInfer<Value>): void;
  className?: string;
}

/** A choice of a few options, all visible. */
export function Segments<Value extends string>(props: SegmentsProps<Value>) {
  const { label, value, options, onChange, className } = props;
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className={cn('inline-flex rounded-md bg-sunken p-0.5 ring-1 ring-line', className)}
    >
      {options.map((option) => (
        <label
          key={option.value}
          title={option.title}
          className="relative flex flex-1 cursor-pointer items-center justify-center gap-1.5 rounded-sm px-2.5 py-1 text-sm font-medium whitespace-nowrap text-ink-soft has-checked:bg-raised has-checked:text-ink has-checked:shadow-button has-focus-visible:outline-2 has-focus-visible:outline-accent [&_svg]:size-4"
        >
          <input
            type="radio"
            value={option.value}
            className="sr-only"
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            {...(option.title !== undefined && { 'aria-label': option.title })}
          />
          {option.label}
        </label>
      ))}
    </div>
  );
}
