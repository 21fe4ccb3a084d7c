import { useQuery } from '@tanstack/react-query';

import { sentence } from '../api/problem.ts';
import type { Integration } from '../api/types.ts';
import { fullName } from '../integrations/integration-name.tsx';
import { channelsQuery } from '../integrations/queries.ts';
import { Field } from '../ui/form/field.tsx';
import { Select, Textarea } from '../ui/form/input.tsx';
import { TextField } from '../ui/form/text-field.tsx';
import { Prose } from '../ui/prose.tsx';
import { ButtonFields } from './button-fields.tsx';
import { KINDS, type UnknownRecord, type Path, put, putKind, textAt } from './draft.ts';

export interface ComposeFormProps {
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
        <Field label="Integration">
          {(control) => (
            <Select
              {...control}
              data-testid="integration"
              value={integration ? chosen : ''}
              onChange={(event) => set(['generator', 'id'])(event.target.value)}
            >
              {!integration && <option value="">Choose an integration</option>}
              {integrations.map((each) => (
                <option key={each.id} value={each.id}>
                  {fullName(each, channels)}
                </option>
              ))}
            </Select>
          )}
        </Field>
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
        <Field label="Type">
          {(control) => (
            <Select
              {...control}
              data-testid="kind"
              value={kind}
              onChange={(event) => onChange(putKind(activity, event.target.value))}
            >
              {!KINDS.some((each) => each === kind) && <option value={kind}>{kind}</option>}
              {KINDS.map((each) => (
                <option key={each} value={each}>
                  {each === 'Note' ? 'Text' : each === 'Place' ? 'Location' : each}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {kind === 'Note' && (
          <Field label="Format">
            {(control) => (
              <Select
                {...control}
                data-testid="format"
                value={textAt(activity, 'object', 'mediaType')}
                onChange={(event) => set(['object', 'mediaType'])(event.target.value)}
              >
                <option value="">Plain text</option>
                <option value="text/markdown">Markdown</option>
                <option value="text/html">HTML</option>
              </Select>
            )}
          </Field>
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
      <Field label={kind === 'Note' ? 'Text' : 'Caption'} optional={kind !== 'Note'}>
        {(control) => (
          <Textarea
            {...control}
            data-testid="text"
            rows={4}
            value={textAt(activity, 'object', 'content')}
            onChange={(event) => set(['object', 'content'])(event.target.value)}
          />
        )}
      </Field>
      <ButtonFields activity={activity} onChange={onChange} />
    </div>
  );
}
