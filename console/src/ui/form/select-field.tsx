import type { SelectHTMLAttributes } from 'react';

import { Field, type FieldProps } from './field.tsx';
import { Select } from './input.tsx';

interface SelectFieldProps
  extends
    Omit<FieldProps, 'children'>,
    Omit<SelectHTMLAttributes<HTMLSelectElement>, keyof Omit<FieldProps, 'children'> | 'onChange'> {
  value: string;
  onValue(value: string): void;
}

/** A select with its label, help and error. Other attributes, and the options, are those of the select. */
export function SelectField(props: SelectFieldProps) {
  const { label, help, error, optional, className, onValue, ...rest } = props;
  return (
    <Field label={label} help={help} error={error} optional={optional} className={className}>
      {(control) => (
        <Select {...rest} {...control} onChange={({ target }) => onValue(target.value)} />
      )}
    </Field>
  );
}
