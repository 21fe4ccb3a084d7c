import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import type { TemplateDetail, TemplatePreview } from '../api/types.ts';
import { channelsQuery, integrationsQuery } from '../integrations/queries.ts';
import { placeholdersIn } from '../playground/instructions.ts';
import { Badge } from '../ui/badge.tsx';
import { Section } from '../ui/card.tsx';
import { Json } from '../ui/code.tsx';
import { Button } from '../ui/form/button.tsx';
import { Form } from '../ui/form/form.tsx';
import { SelectField } from '../ui/form/select-field.tsx';
import { TextareaField } from '../ui/form/textarea-field.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { usePreview } from './queries.ts';

interface ChannelPreviewsProps {
  application: number;
  template: TemplateDetail;
}

/** The template with values, as each channel gets it. */
export function ChannelPreviews({ application, template }: ChannelPreviewsProps) {
  const [language, setLanguage] = useState(template.default_language);
  const [values, setValues] = useState(() => sampleValues(template));
  const preview = usePreview(application, template.id);
  const parameters = parse(values);
  return (
    <Section title="Preview" description="Renders the saved version for every channel.">
      <Form
        className="grid gap-4"
        onSubmit={() => {
          if (parameters) preview.mutate({ version: template.version, language, parameters });
        }}
      >
        <SelectField label="Language" value={language} onValue={setLanguage}>
          {Object.keys(template.contents).map((tag) => (
            <option key={tag}>{tag}</option>
          ))}
        </SelectField>
        <TextareaField
          label="Parameters"
          error={parameters ? undefined : 'Must be a JSON object.'}
          data-testid="parameters"
          inputClass="font-mono"
          rows={values.split('\n').length + 1}
          value={values}
          onValue={setValues}
        />
        <div>
          <Button type="submit" data-testid="preview" busy={preview.isPending}>
            Preview
          </Button>
        </div>
      </Form>
      {preview.isError && <ProblemNotice error={preview.error} />}
      {preview.data && <Previews application={application} preview={preview.data} />}
    </Section>
  );
}

/** Each parameter with its own name as value. */
function sampleValues({ contents }: TemplateDetail): string {
  const names = Object.values(contents).flatMap(({ name = '', content }) =>
    placeholdersIn(`${name} ${content}`),
  );
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, name])), null, 2);
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** The channels that the application uses come first. */
function Previews({ application, preview }: { application: number; preview: TemplatePreview }) {
  const { data: channels } = useQuery(channelsQuery);
  const { data: integrations } = useQuery(integrationsQuery(application));
  const used = new Set(integrations?.map(({ name }) => name));
  const sorted = preview.channels.toSorted(
    (a, b) => Number(used.has(b.channel)) - Number(used.has(a.channel)),
  );
  return (
    <ul data-testid="previews" className="mt-4 grid gap-3">
      {sorted.map(({ channel, parts, degraded }) => (
        <li key={channel} data-channel={channel}>
          <details>
            <summary className="cursor-pointer text-sm font-medium">
              {channels?.find(({ name }) => name === channel)?.title ?? channel}{' '}
              {degraded.length > 0 && <Badge tone="warn">{degraded.length} changed</Badge>}
            </summary>
            <ul className="my-1.5 grid gap-1 text-sm text-ink-soft">
              {degraded.map(({ what, became, why }) => (
                <li key={what + why}>
                  {what} becomes {became}: {why}
                </li>
              ))}
            </ul>
            <Json value={parts} />
          </details>
        </li>
      ))}
    </ul>
  );
}
