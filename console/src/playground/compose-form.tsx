import { useQuery } from '@tanstack/react-query';

import { sentence } from '../api/problem.ts';
import type { Integration } from '../api/types.ts';
import { fullName } from '../integrations/integration-name.tsx';
import { channelsQuery } from '../integrations/queries.ts';
import { SelectField } from '../ui/form/select-field.tsx';
import { TextField } from '../ui/form/text-field.tsx';
import { TextareaField } from '../ui/form/textarea-field.tsx';
import { Prose } from '../ui/prose.tsx';
import { ButtonFields } from './button-fields.tsx';
import { KINDS, type UnknownRecord, type Path, put, putKind, textAt } from './draft.ts';

interface ComposeFormProps {
  activity: UnknownRecord;
  integrations: readonly Integration[];
  onChange(activity: UnknownRecord): void;
}

/** The activity as a form. */
export function ComposeForm({ activity, integrations, onChange }: ComposeFormProps) {
  const { data: channels } = useQuery(channelsQuery);
  const chosen = textAt(activity, 'generator', 'id');
  const integration = integrations.find(({ id }) => String(id) === chosen);
  const channel = channels?.find(({ name }) => name === integration?.name);
  const kind = textAt(activity, 'object', 'type');
  const isFile = kind !== 'Note' && kind !== 'Place';
  const set = (path: Path) => (value: string) =>
    onChange(put(activity, path, value === '' ? undefined : value));
  const setNumber = (path: Path) => (value: string) =>
    onChange(put(activity, path, value === '' ? undefined : Number(value)));
  return (
    <div className="grid gap-4">
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <SelectField
          label="Integration"
          data-testid="integration"
          value={integration ? chosen : ''}
          onValue={set(['generator', 'id'])}
        >
          {!integration && <option value="">Choose an integration</option>}
          {integrations.map((each) => (
            <option key={each.id} value={each.id}>
              {fullName(each, channels)}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Recipient"
          help={
            channel && (
              <Prose
                text={sentence(
                  `${channel.recipient.form}, such as \`${channel.recipient.example}\``,
                )}
              />
            )
          }
          data-testid="recipient"
          value={textAt(activity, 'to', 'id')}
          spellCheck={false}
          inputClass="font-mono"
          // `to.id` is required: an empty field stays in the JSON as "".
          onValue={(text) => onChange(put(activity, ['to', 'id'], text))}
        />
        <SelectField
          label="Type"
          data-testid="kind"
          value={kind}
          onValue={(name) => onChange(putKind(activity, name))}
        >
          {!KINDS.some((each) => each === kind) && <option value={kind}>{kind}</option>}
          {KINDS.map((each) => (
            <option key={each} value={each}>
              {each === 'Note' ? 'Text' : each === 'Place' ? 'Location' : each}
            </option>
          ))}
        </SelectField>
        {kind === 'Note' && (
          <SelectField
            label="Format"
            data-testid="format"
            value={textAt(activity, 'object', 'mediaType')}
            onValue={set(['object', 'mediaType'])}
          >
            <option value="">Plain text</option>
            <option value="text/markdown">Markdown</option>
            <option value="text/html">HTML</option>
          </SelectField>
        )}
        {kind === 'Place' &&
          (['latitude', 'longitude'] as const).map((name) => (
            <TextField
              key={name}
              label={name === 'latitude' ? 'Latitude' : 'Longitude'}
              type="number"
              step="any"
              value={textAt(activity, 'object', name)}
              onValue={setNumber(['object', name])}
            />
          ))}
      </div>
      {isFile && (
        <TextField
          label="File URL"
          help="A public https URL."
          data-testid="file-url"
          inputMode="url"
          spellCheck={false}
          placeholder="https://example.com/image.png"
          value={textAt(activity, 'object', 'url')}
          onValue={set(['object', 'url'])}
        />
      )}
      {kind !== 'Note' && (
        <TextField
          label="Name"
          optional
          value={textAt(activity, 'object', 'name')}
          onValue={set(['object', 'name'])}
        />
      )}
      <TextareaField
        label={kind === 'Note' ? 'Text' : 'Caption'}
        optional={kind !== 'Note'}
        data-testid="text"
        rows={4}
        value={textAt(activity, 'object', 'content')}
        onValue={set(['object', 'content'])}
      />
      <ButtonFields activity={activity} onChange={onChange} />
    </div>
  );
}
