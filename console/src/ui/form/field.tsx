import { type ReactNode, useId } from 'react';

import { cn } from '../cn.ts';

/** Attributes that connect a control to its label, help and error. */
export interface FieldControl {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

export interface FieldProps {
  label: ReactNode;
  help?: ReactNode;
  error?: string | undefined;
  /** Shows "optional" beside the label. */
  optional?: boolean | undefined;
  className?: string | undefined;
  children(control: FieldControl): ReactNode;
}

export function Field({ label, help, error, optional, className, children }: FieldProps) {
  const id = useId();
  const described = [help !== undefined && `${id}-help`, error !== undefined && `${id}-error`];
  const control: FieldControl = {
    id,
    'aria-describedby': described.filter((each) => each !== false).join(' ') || undefined,
    'aria-invalid': error === undefined ? undefined : true,
  };
  return (
    <div className={cn('grid gap-1.5', className)}>
      <label htmlFor={id} className="text-sm font-medium text-ink">
        {label}
        {optional && <span className="font-normal text-ink-faint"> (optional)</span>}
      </label>
      {children(control)}
      {error !== undefined && (
        <p id={`${id}-error`} role="alert" className="text-sm text-bad">
          {error}
        </p>
      )}
      {help !== undefined && (
        <p id={`${id}-help`} className="text-sm text-pretty text-ink-faint">
          {help}
        </p>
      )}
    </div>
  );
}
