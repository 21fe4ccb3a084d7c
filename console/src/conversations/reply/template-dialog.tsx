import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';

import { ApiProblem, errorText } from '../../api/problem.ts';
import type { Channel, Conversation } from '../../api/types.ts';
import { sendMessage } from '../../messages/queries.ts';
import {
  type TemplateOption,
  ownChoices,
  readValues,
  vendorChoices,
} from '../../playground/instructions.ts';
import { TemplateOptions } from '../../playground/template-options.tsx';
import { templatesQuery, vendorTemplatesQuery } from '../../templates/queries.ts';
import { FormDialog } from '../../ui/form/form-dialog.tsx';
import { SelectField } from '../../ui/form/select-field.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { Skeleton } from '../../ui/list/skeleton.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { linkClass } from '../../ui/page.tsx';
import { templateBody } from './reply-draft.ts';

interface TemplateDialogProps {
  application: number;
  conversation: Conversation;
  channel: Channel | undefined;
  onClose(): void;
  onSent(): void;
}

/** Sends one of the vendor's or of the application's templates, with its values. */
export function TemplateDialog(props: TemplateDialogProps) {
  const { application, conversation, channel, onClose, onSent } = props;
  const ownTemplates = useQuery(templatesQuery(application));
  const hasVendorTemplates = channel?.can.templates === true;
  const vendorTemplates = useQuery({
    ...vendorTemplatesQuery(application, conversation.integration_id),
    enabled: hasVendorTemplates,
  });
  const vendorOptions = vendorChoices(
    (vendorTemplates.data?.data ?? []).filter(({ status }) => status === 'approved'),
  );
  const ownOptions = ownChoices(ownTemplates.data ?? []);
  const all = [...vendorOptions, ...ownOptions];
  const [key, setKey] = useState<string>();
  const [values, setValues] = useState<Record<string, string>>({});
  const chosen = all.find((each) => each.key === key) ?? all[0];
  const send = useMutation({
    mutationFn: async (template: TemplateOption) => {
      // Examples are placeholders, not values: an empty field is refused.
      const names = Object.keys(valuesOf(template));
      const entered = Object.fromEntries(names.map((name) => [name, values[name] ?? '']));
      const body = templateBody(conversation, {
        ...template,
        when: 'always',
        values: JSON.stringify(entered),
      });
      if (body) await sendMessage(application, body);
    },
    onSuccess: onSent,
  });
  const isLoading = ownTemplates.isPending || (hasVendorTemplates && vendorTemplates.isPending);
  return (
    <FormDialog
      title="Send a template"
      action="Send template"
      busy={send.isPending}
      onClose={onClose}
      onSubmit={() => chosen && send.mutate(chosen)}
    >
      {send.isError && <Refused error={send.error} />}
      {isLoading ? (
        <Skeleton className="h-16" />
      ) : chosen === undefined ? (
        <p data-testid="no-templates" className="text-sm text-ink-soft">
          There are no templates yet.{' '}
          <Link
            className={linkClass}
            to="/app/applications/$application/templates"
            params={{ application: String(application) }}
          >
            Add or sync templates
          </Link>
        </p>
      ) : (
        <>
          <SelectField
            label="Template"
            data-testid="template"
            value={chosen.key}
            onValue={(selected) => {
              setKey(selected);
              setValues({});
            }}
          >
            <TemplateOptions
              label={`${channel?.title ?? 'Vendor'} templates`}
              choices={vendorOptions}
            />
            <TemplateOptions label="Your templates" choices={ownOptions} />
          </SelectField>
          {Object.entries(valuesOf(chosen)).map(([name, example]) => (
            <TextField
              key={`${chosen.key} ${name}`}
              label={name}
              data-testid={`value-${name}`}
              placeholder={example}
              value={values[name] ?? ''}
              onValue={(text) => setValues({ ...values, [name]: text })}
            />
          ))}
        </>
      )}
    </FormDialog>
  );
}

/** The parameters with their examples. */
function valuesOf({ values }: TemplateOption): Record<string, string> {
  return Object.fromEntries(
    Object.entries(readValues(values) ?? {}).map(([name, value]) => [name, String(value)]),
  );
}

function Refused({ error }: { error: unknown }) {
  if (!(error instanceof ApiProblem)) return <ProblemNotice error={error} />;
  const [first] = error.errors;
  const name = first?.pointer.split('/').at(-1);
  return (
    <p role="alert" data-testid="refused" className="text-sm text-bad">
      {first && name !== undefined && name !== 'template'
        ? `${name}: ${first.detail}`
        : errorText(error)}
    </p>
  );
}
