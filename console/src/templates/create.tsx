import { useState } from 'react';

import { fieldError } from '../api/problem.ts';
import type { Template } from '../api/types.ts';
import { FormDialog } from '../ui/form/form-dialog.tsx';
import { TextField } from '../ui/form/text-field.tsx';
import { TextareaField } from '../ui/form/textarea-field.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { useCreateTemplate } from './queries.ts';

interface CreateTemplateProps {
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
      <TextareaField
        label="Text"
        help="Liquid: {{ name }} is the value of a parameter."
        value={content}
        required
        onValue={setContent}
      />
      {create.isError && nameError === undefined && <ProblemNotice error={create.error} />}
    </FormDialog>
  );
}
