import { useState } from 'react';

import type { TemplateDetail } from '../api/types.ts';
import { Section } from '../ui/card.tsx';
import { Button } from '../ui/form/button.tsx';
import { Field } from '../ui/form/field.tsx';
import { Form } from '../ui/form/form.tsx';
import { Input } from '../ui/form/input.tsx';
import { SelectField } from '../ui/form/select-field.tsx';
import { TextField } from '../ui/form/text-field.tsx';
import { TextareaField } from '../ui/form/textarea-field.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { useAddVersion } from './queries.ts';

type Content = TemplateDetail['contents'][string];

const MARKUPS = ['text/plain', 'text/markdown', 'text/html'] as const;
const MARKUP_NAMES = {
  'text/plain': 'Plain text',
  'text/markdown': 'Markdown',
  'text/html': 'HTML',
} as const;

interface ContentFormProps {
  application: number;
  template: TemplateDetail;
  onSaved(): void;
}

/** The text in each language. Saving adds a version. */
export function ContentForm({ application, template, onSaved }: ContentFormProps) {
  const [contents, setContents] = useState(template.contents);
  const [language, setLanguage] = useState(template.default_language);
  const [added, setAdded] = useState('');
  const save = useAddVersion(application, template.id);
  const content: Content = contents[language] ?? { content: '' };
  const latest = template.versions[0]?.version ?? 0;
  // Saving an older version unchanged makes it the current one again.
  const isNew =
    template.version !== latest || JSON.stringify(contents) !== JSON.stringify(template.contents);
  const change = (fields: Partial<Content>) =>
    setContents({ ...contents, [language]: { ...content, ...fields } });
  const add = () => {
    const tag = added.trim();
    if (tag === '') return;
    setContents({ ...contents, [tag]: contents[tag] ?? { content: '' } });
    setLanguage(tag);
    setAdded('');
  };
  return (
    <Section title="Content" description="Liquid: {{ name }} is the value of a parameter.">
      <Form
        className="grid gap-4"
        onSubmit={() =>
          save.mutate(
            { default_language: template.default_language, contents },
            {
              onSuccess: () => {
                toast.ok('Version added');
                onSaved();
              },
            },
          )
        }
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            label="Language"
            data-testid="language"
            value={language}
            onValue={setLanguage}
          >
            {Object.keys(contents).map((tag) => (
              <option key={tag}>{tag}</option>
            ))}
          </SelectField>
          <Field label="Add a language">
            {(control) => (
              <span className="flex gap-2">
                <Input
                  {...control}
                  value={added}
                  placeholder="pt-BR"
                  autoComplete="off"
                  onChange={(event) => setAdded(event.target.value)}
                />
                <Button type="button" onClick={add}>
                  Add
                </Button>
              </span>
            )}
          </Field>
        </div>
        <TextField
          label="Title"
          optional
          data-testid="title"
          value={content.name ?? ''}
          onValue={(text) => {
            const { name: _, ...untitled } = content;
            const changed = text === '' ? untitled : { ...content, name: text };
            setContents({ ...contents, [language]: changed });
          }}
        />
        <TextareaField
          label="Text"
          data-testid="content"
          inputClass="min-h-32 font-mono"
          value={content.content}
          onValue={(text) => change({ content: text })}
        />
        <SelectField
          label="Format"
          value={content.mediaType ?? 'text/plain'}
          onValue={(chosen) => {
            const mediaType = MARKUPS.find((one) => one === chosen);
            change(mediaType ? { mediaType } : {});
          }}
        >
          {MARKUPS.map((one) => (
            <option key={one} value={one}>
              {MARKUP_NAMES[one]}
            </option>
          ))}
        </SelectField>
        {save.isError && <ProblemNotice error={save.error} />}
        <div>
          <Button
            type="submit"
            data-testid="save"
            look="primary"
            busy={save.isPending}
            disabled={!isNew}
          >
            Save as version {latest + 1}
          </Button>
        </div>
      </Form>
    </Section>
  );
}
