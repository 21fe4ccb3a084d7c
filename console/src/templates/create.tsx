import { useState } from 'react';

import { fieldError } from '../api/problem.ts';
import type { Template } from '../api/types.ts';
import { Field } from '../ui/form/field.tsx';
import { FormDialog } from '../ui/form/form-dialog.tsx';
import { Textarea } from '../ui/form/input.tsx';
import { TextField } from '../ui/form/text-field.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { useCreateTemplate } from './queries.ts';

export interface CreateTemplateProps {
  application: number;
  onClose(): void;
  onCreated(template: Template): void;
}

/** The first language of a new template; others are added on its page. */
export function CreateTemplate({ application, onClose, onCreated }: CreateTemplateProps) {
  const [name, setName] = useState('');
  const [language, setLanguage] = useState('en');
  const [content, setContent] = useState('');
  const create = useCreateTemplate(application);
  const nameError = fieldError(create.error, 'name');
  return (
    <FormDialog
      onClose={onClose}
      title="New template"
      action="Create template"
      busy={create.isPending}
      onSubmit={() =>
        create.mutate(
          {
            name: name.trim(),
            default_language: language.trim(),
            contents: { [language.trim()]: { content } },
          },
          { onSuccess: onCreated },
        )
      }
    >
      <TextField
        label="Name"
        help="Messages refer to the template by this name."
        error={nameError}
        value={name}
        required
        placeholder="order_shipped"
        onValue={setName}
      />
      <TextField
        label="Language"
        help="The default; add others later."
        value={language}
        required
        onValue={setLanguage}
      />
      <Field label="Text" help="Liquid: {{ name }} is the value of a parameter.">
        {(control) => (
          <Textarea
            {...control}
            value={content}
            required
            onChange={(event) => setContent(event.target.value)}
          />
        )}
      </Field>
      {create.isError && nameError === undefined && <ProblemNotice error={create.error} />}
    </FormDialog>
  );
}
