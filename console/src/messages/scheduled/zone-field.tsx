import { Field } from '../../ui/form/field.tsx';
import { Select } from '../../ui/form/input.tsx';
import type { Zone } from './send-at.ts';

export interface ZoneFieldProps {
  value: Zone;
  error: string | undefined;
  className?: string;
  onChange(value: Zone): void;
}

/** Where a local time is meant. */
export function ZoneField({ value, error, className, onChange }: ZoneFieldProps) {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Field label="Time zone" error={error} {...(className !== undefined && { className })}>
      {(control) => (
        <Select
          {...control}
          data-testid="zone"
          value={value}
          onChange={({ target }) => onChange(target.value === 'recipient' ? 'recipient' : 'own')}
        >
          <option value="own">Yours ({own})</option>
          <option value="recipient">The recipient’s</option>
        </Select>
      )}
    </Field>
  );
}
