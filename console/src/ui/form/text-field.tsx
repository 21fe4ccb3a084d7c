import type { InputHTMLAttributes } from 'react';

import { Field, type FieldProps } from './field.tsx';
import { Input } from './input.tsx';

interface TextFieldProps
  extends
    Omit<FieldProps, 'children'>,
    Omit<InputHTMLAttributes<HTMLInputElement>, keyof FieldProps | 'value' | 'onChange'> {
  inputClass?: string;
  value: string;
  onValue(value: string): void;
}

/** A line of text, or a number, with its label, help and error. Other attributes are those of the input. */
export function TextField(props: TextFieldProps) {
  const { label, help, error, optional, className, inputClass, onValue, ...rest } = props;
  return (
    <Field label={label} help={help} error={error} optional={optional} className={className}>
      {(control) => (
        <Input
          autoComplete="off"
          {...rest}
          {...control}
          className={inputClass}
          onChange={({ target }) => onValue(target.value)}
        />
      )}
    </Field>
  );
}
