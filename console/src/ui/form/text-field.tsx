import type { InputHTMLAttributes } from 'react';

import { Field, type FieldProps } from './field.tsx';
import { Input } from './input.tsx';

export interface TextFieldProps
  extends
    Omit<FieldProps, 'children'>,
    Pick<
      InputHTMLAttributes<HTMLInputElement>,
      'placeholder' | 'maxLength' | 'spellCheck' | 'type' | 'min' | 'max'
    > {
  testId?: string;
  value: string;
  onValue(value: string): void;
}

/** A line of text, or a number, with its label, help and error. */
export function TextField(props: TextFieldProps) {
  const { label, help, error, optional, className, testId, value, onValue, ...rest } = props;
  return (
    <Field
      label={label}
      help={help}
      error={error}
      optional={optional ?? false}
      {...(className !== undefined && { className })}
    >
      {(control) => (
        <Input
          {...control}
          {...rest}
          data-testid={testId}
          autoComplete="off"
          value={value}
          onChange={({ target }) => onValue(target.value)}
        />
      )}
    </Field>
  );
}
