import { SelectField } from '../../ui/form/select-field.tsx';
import type { Zone } from './send-at.ts';

interface ZoneFieldProps {
  value: Zone;
  error: string | undefined;
  className?: string;
  onChange(value: Zone): void;
}

/** The time zone of a local time: the user's or the recipient's. */
export function ZoneField({ value, error, className, onChange }: ZoneFieldProps) {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <SelectField
      label="Time zone"
      error={error}
      className={className}
      data-testid="zone"
      value={value}
      onValue={(chosen) => onChange(chosen === 'recipient' ? 'recipient' : 'own')}
    >
      <option value="own">Yours ({own})</option>
      <option value="recipient">The recipient’s</option>
    </SelectField>
  );
}
