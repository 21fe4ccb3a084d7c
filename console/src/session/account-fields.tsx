import { Field } from '../ui/form/field.tsx';
import { Input } from '../ui/form/input.tsx';

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
    <Field label={label} optional={optional} error={error}>
      {(control) => (
        <Input
          {...control}
          autoComplete="name"
          autoFocus={autoFocus}
          required={!optional}
          value={value}
          onChange={(event) => onValue(event.target.value)}
        />
      )}
    </Field>
  );
}

export function EmailField({ value, error, onValue }: FieldProps) {
  return (
    <Field label="Email" help="Used only to sign in." error={error}>
      {(control) => (
        <Input
          {...control}
          inputMode="email"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          value={value}
          onChange={(event) => onValue(event.target.value)}
        />
      )}
    </Field>
  );
}

export function NewPasswordField({
  label = 'Password',
  value,
  error,
  onValue,
}: FieldProps & { label?: string }) {
  return (
    <Field
      label={label}
      help="At least 8 characters. Several words are strong and easy to remember."
      error={error}
    >
      {(control) => (
        <Input
          {...control}
          type="password"
          autoComplete="new-password"
          required
          value={value}
          onChange={(event) => onValue(event.target.value)}
        />
      )}
    </Field>
  );
}
