import { type ReactNode, useId } from 'react';

import { cn } from '../cn.ts';

interface ChoiceProps<Value extends string> {
  label: string;
  value: Value | undefined;
  options: readonly { value: Value; label: ReactNode; help: ReactNode }[];
  onChange(value: Value): void;
  disabled?: boolean;
  className?: string;
}

/** A choice of a few options, each with a description. */
export function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { label, value, options, onChange, disabled, className } = props;
  const name = useId();
  return (
    <div role="radiogroup" aria-label={label} className={cn('grid gap-2', className)}>
      {options.map((option) => (
        <label
          key={option.value}
          className="grid cursor-pointer grid-cols-[1rem_minmax(0,1fr)] content-start gap-x-2.5 rounded-md border border-line px-3 py-2.5 text-sm hover:bg-hover has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            value={option.value}
            name={name}
            className="mt-0.5 size-4 accent-accent outline-none"
            disabled={disabled ?? false}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span className="font-medium text-ink">{option.label}</span>
          <span className="col-start-2 text-pretty text-ink-soft">{option.help}</span>
        </label>
      ))}
    </div>
  );
}
