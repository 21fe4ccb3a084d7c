import { TextField } from '../ui/form/text-field.tsx';

interface LabelFieldProps {
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
    <TextField
      label="Label"
      optional
      help={help}
      error={error}
      maxLength={100}
      value={value}
      onValue={onValue}
    />
  );
}
