import type { TextareaHTMLAttributes } from 'react';

import { Field, type FieldProps } from './field.tsx';
import { Textarea } from './input.tsx';

interface TextareaFieldProps
  extends
    Omit<FieldProps, 'children'>,
    Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, keyof FieldProps | 'onChange'> {
  inputClass?: string;
  value: string;
  onValue(value: string): void;
}

/** Lines of text with their label, help and error. Other attributes are those of the text area. */
export function TextareaField(props: TextareaFieldProps) {
  const { label, help, error, optional, className, inputClass, onValue, ...rest } = props;
  return (
    <Field label={label} help={help} error={error} optional={optional} className={className}>
      {(control) => (
        <Textarea
          {...rest}
          {...control}
          className={inputClass}
          onChange={({ target }) => onValue(target.value)}
        />
      )}
    </Field>
  );
}
