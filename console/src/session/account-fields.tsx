import { TextField } from '../ui/form/text-field.tsx';

/* Form fields of an account, shared by all forms that ask for them. */

interface FieldProps {
  value: string;
  error: string | undefined;
  onValue(value: string): void;
}

export function NameField({
  label = 'Your name',
  optional = false,
  autoFocus = false,
  value,
  error,
  onValue,
}: FieldProps & { label?: string; optional?: boolean; autoFocus?: boolean }) {
  return (
    <TextField
      label={label}
      optional={optional}
      error={error}
      autoComplete="name"
      autoFocus={autoFocus}
      required={!optional}
      value={value}
      onValue={onValue}
    />
  );
}

export function EmailField({ value, error, onValue }: FieldProps) {
  return (
    <TextField
      label="Email"
      help="Used only to sign in."
      error={error}
      inputMode="email"
      autoComplete="username"
      autoCapitalize="none"
      spellCheck={false}
      required
      value={value}
      onValue={onValue}
    />
  );
}

export function NewPasswordField({
  label = 'Password',
  value,
  error,
  onValue,
}: FieldProps & { label?: string }) {
  return (
    <TextField
      label={label}
      help="At least 8 characters. Several words are strong and easy to remember."
      error={error}
      type="password"
      autoComplete="new-password"
      required
      value={value}
      onValue={onValue}
    />
  );
}
