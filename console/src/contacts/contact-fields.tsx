import { Plus, X } from 'lucide-react';
import { useId } from 'react';

import { fieldError } from '../api/problem.ts';
import type { Contact } from '../api/types.ts';
import { Button } from '../ui/form/button.tsx';
import { Input } from '../ui/form/input.tsx';
import { TextField } from '../ui/form/text-field.tsx';
import type { ContactFields } from './queries.ts';

interface CustomField {
  name: string;
  text: string;
  /** The stored value (string, number, boolean or null) until the text is edited; then undefined, and the text is sent. */
  value: Contact['fields'][string] | undefined;
}

/** The values of the form. */
interface ContactDraft {
  external_id: string;
  name: string;
  locale: string;
  timezone: string;
  fields: readonly CustomField[];
}

export const EMPTY_CONTACT: ContactDraft = {
  external_id: '',
  name: '',
  locale: '',
  timezone: '',
  fields: [],
};

export const draftOf = (contact: Contact): ContactDraft => ({
  external_id: contact.external_id ?? '',
  name: contact.name ?? '',
  locale: contact.locale ?? '',
  timezone: contact.timezone ?? '',
  fields: Object.entries(contact.fields).map(([name, value]) => ({
    name,
    text: String(value),
    value,
  })),
});

const orNull = (text: string) => (text.trim() === '' ? null : text.trim());

/** The request body. Empty text clears a standard field; custom fields without a name are left out. */
export const bodyOf = (draft: ContactDraft): ContactFields => ({
  external_id: orNull(draft.external_id),
  name: orNull(draft.name),
  locale: orNull(draft.locale),
  timezone: orNull(draft.timezone),
  fields: Object.fromEntries(
    draft.fields
      .filter(({ name }) => name.trim() !== '')
      .map(({ name, text, value }) => [name.trim(), value === undefined ? text : value]),
  ),
});

const STANDARD_FIELDS = [
  { name: 'name', label: 'Name', help: undefined, example: 'Ada Lovelace' },
  {
    name: 'external_id',
    label: 'External id',
    help: 'Your own id for this person.',
    example: 'customer-4711',
  },
  { name: 'locale', label: 'Language', help: undefined, example: 'en-GB' },
  { name: 'timezone', label: 'Time zone', help: undefined, example: 'Europe/London' },
] as const;

/** The positions of custom fields whose name an earlier one has. */
const repeatedNames = (fields: readonly CustomField[]): Set<number> => {
  const names = fields.map(({ name }) => name.trim());
  return new Set(names.flatMap((name, i) => (name !== '' && names.indexOf(name) < i ? [i] : [])));
};

/** Whether two custom fields have the same name, of which only one could be saved. */
export const hasRepeatedNames = ({ fields }: ContactDraft): boolean =>
  repeatedNames(fields).size > 0;

/** Whether an error is shown beside its field. */
export const isFieldError = (error: unknown): boolean =>
  STANDARD_FIELDS.some(({ name }) => fieldError(error, name) !== undefined);

interface ContactFieldInputsProps {
  draft: ContactDraft;
  error: unknown;
  onChange(draft: ContactDraft): void;
}

export function ContactFieldInputs({ draft, error, onChange }: ContactFieldInputsProps) {
  return (
    <div className="grid items-start gap-3 sm:grid-cols-2">
      {STANDARD_FIELDS.map(({ name, label, help, example }) => (
        <TextField
          key={name}
          data-testid={name}
          label={label}
          optional
          help={help}
          error={fieldError(error, name)}
          placeholder={example}
          value={draft[name]}
          onValue={(value) => onChange({ ...draft, [name]: value })}
        />
      ))}
      <CustomFields fields={draft.fields} onChange={(fields) => onChange({ ...draft, fields })} />
    </div>
  );
}

interface CustomFieldsProps {
  fields: readonly CustomField[];
  onChange(fields: CustomField[]): void;
}

function CustomFields({ fields, onChange }: CustomFieldsProps) {
  const change = (index: number, part: Partial<CustomField>) =>
    onChange(fields.map((field, i) => (i === index ? { ...field, ...part } : field)));
  const repeated = repeatedNames(fields);
  const errorId = useId();
  return (
    <fieldset className="grid gap-2 sm:col-span-2">
      <legend className="mb-1.5 text-sm font-medium">
        Custom fields <span className="font-normal text-ink-faint">(optional)</span>
      </legend>
      {fields.map(({ name, text }, i) => (
        // oxlint-disable-next-line react/no-array-index-key -- names change while they are typed
        <div key={i} className="flex gap-2">
          <Input
            aria-label={`Field ${i + 1}: name`}
            placeholder="plan"
            autoComplete="off"
            aria-invalid={repeated.has(i) || undefined}
            aria-describedby={repeated.has(i) ? errorId : undefined}
            maxLength={64}
            value={name}
            onChange={({ target }) => change(i, { name: target.value })}
          />
          <Input
            aria-label={`Field ${i + 1}: value`}
            placeholder="gold"
            autoComplete="off"
            maxLength={1024}
            value={text}
            onChange={({ target }) => change(i, { text: target.value, value: undefined })}
          />
          <Button
            look="quiet"
            size="icon"
            aria-label={`Remove field ${i + 1}`}
            onClick={() => onChange(fields.filter((_field, index) => index !== i))}
          >
            <X aria-hidden />
          </Button>
        </div>
      ))}
      {repeated.size > 0 && (
        <p id={errorId} role="alert" className="text-sm text-bad">
          Name used twice.
        </p>
      )}
      <div>
        <Button
          data-testid="add-field"
          size="sm"
          onClick={() => onChange([...fields, { name: '', text: '', value: undefined }])}
        >
          <Plus aria-hidden />
          Add field
        </Button>
      </div>
    </fieldset>
  );
}
