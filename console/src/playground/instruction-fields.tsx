import { useQuery } from '@tanstack/react-query';

import type { Channel } from '../api/types.ts';
import { ZoneField } from '../messages/scheduled/zone-field.tsx';
import { templatesQuery, vendorTemplatesQuery } from '../templates/queries.ts';
import { SelectField } from '../ui/form/select-field.tsx';
import { TextField } from '../ui/form/text-field.tsx';
import { TextareaField } from '../ui/form/textarea-field.tsx';
import { type DryRunState, errorAt } from './dry-run.ts';
import {
  CATEGORIES,
  type InstructionDraft,
  ownChoices,
  readValues,
  vendorChoices,
} from './instructions.ts';
import { TemplateOptions } from './template-options.tsx';

interface InstructionFieldsProps {
  application: number;
  integration: number;
  channel: Channel;
  value: InstructionDraft;
  /** The dry run, or its error. */
  dryRun: DryRunState;
  onChange(value: InstructionDraft): void;
}

/** The fields beside the activity: category, time and template. */
export function InstructionFields(props: InstructionFieldsProps) {
  const { value, dryRun, onChange } = props;
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <SelectField
        label="Category"
        data-testid="category"
        value={value.category}
        onValue={(chosen) => onChange({ ...value, category: chosen })}
      >
        <option value="">Not set</option>
        {Object.entries(CATEGORIES).map(([name, label]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </SelectField>
      <TextField
        label="Send at"
        optional
        error={errorAt(dryRun, '/send_at')}
        data-testid="send-at"
        type="datetime-local"
        value={value.sendAt}
        onValue={(text) => onChange({ ...value, sendAt: text })}
      />
      {value.sendAt !== '' && (
        <ZoneField
          className="sm:col-start-2"
          value={value.zone}
          error={errorAt(dryRun, '/send_at/zone')}
          onChange={(zone) => onChange({ ...value, zone })}
        />
      )}
      <TemplateField {...props} />
    </div>
  );
}

/** Templates of the vendor and of the application. */
function TemplateField({
  application,
  integration,
  channel,
  value,
  dryRun,
  onChange,
}: InstructionFieldsProps) {
  const { data: templates = [] } = useQuery(templatesQuery(application));
  const { data: vendors } = useQuery({
    ...vendorTemplatesQuery(application, integration),
    enabled: channel.can.templates,
  });
  const theirs = vendorChoices(channel.can.templates ? (vendors?.data ?? []) : []);
  const ours = ownChoices(templates);
  const all = [...theirs, ...ours];
  const { template } = value;
  const key = template ? `${template.source} ${template.name} ${template.language}` : '';
  const choose = (chosen: string) => {
    const choice = all.find((each) => each.key === chosen);
    if (!choice) return onChange({ ...value, template: undefined });
    const { key: _, ...rest } = choice;
    onChange({ ...value, template: { ...rest, when: 'always' } });
  };
  if (all.length === 0 && !template) return null;
  const isInvalid = template !== undefined && readValues(template.values) === undefined;
  const refused = errorAt(dryRun, '/template') ?? errorAt(dryRun, '/outside_window');
  return (
    <>
      <SelectField
        label="Template"
        className="sm:col-span-2"
        data-testid="template"
        value={key}
        onValue={choose}
      >
        <option value="">None</option>
        <TemplateOptions label={`Of ${channel.title}`} choices={theirs} />
        <TemplateOptions label="Your templates" choices={ours} />
      </SelectField>
      {template?.source === 'vendor' && (
        <SelectField
          label="Use it"
          className="sm:col-span-2"
          data-testid="template-when"
          value={template.when}
          onValue={(chosen) =>
            onChange({
              ...value,
              template: {
                ...template,
                when: chosen === 'outside' ? 'outside' : 'always',
              },
            })
          }
        >
          <option value="always">In place of the text</option>
          <option value="outside">Only if the vendor accepts no free text</option>
        </SelectField>
      )}
      {template && (
        <TextareaField
          label="Parameters"
          className="sm:col-span-2"
          error={isInvalid ? 'Must be a JSON object.' : refused}
          data-testid="template-values"
          inputClass="font-mono"
          spellCheck={false}
          value={template.values}
          onValue={(text) => onChange({ ...value, template: { ...template, values: text } })}
        />
      )}
    </>
  );
}
