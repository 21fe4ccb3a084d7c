import { Field } from '../ui/form/field.tsx';
import { Input } from '../ui/form/input.tsx';

export interface LabelFieldProps {
  value: string;
  error: string | undefined;
  onValue(value: string): void;
  help?: string;
}

export function LabelField(props: LabelFieldProps) {
  const {
    value,
    error,
    onValue,
    help = 'The program that uses it, such as “billing server”.',
  } = props;
  return (
    <Field label="Label" optional help={help} error={error}>
      {(control) => (
        <Input
          {...control}
          maxLength={100}
          autoComplete="off"
          value={value}
          onChange={(event) => onValue(event.target.value)}
        />
      )}
    </Field>
  );
}
