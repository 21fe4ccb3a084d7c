import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

import { sentence } from '../api/problem.ts';
import type { ContactImport } from '../api/types.ts';
import { Field } from '../ui/form/field.tsx';
import { FormDialog } from '../ui/form/form-dialog.tsx';
import { ProgressBar } from '../ui/list/progress-bar.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import {
  importErrorsQuery,
  importQuery,
  isRunning,
  refetchContacts,
  useImportContacts,
} from './queries.ts';

interface ImportDialogProps {
  application: number;
  onClose(): void;
}

/** Imports a file of contacts, and shows the progress. The import continues when the dialog is closed. */
export function ImportDialog({ application, onClose }: ImportDialogProps) {
  const [file, setFile] = useState<File>();
  const start = useImportContacts(application);
  return (
    <FormDialog
      title="Import contacts"
      action="Import contacts"
      width="md"
      busy={start.isPending}
      onClose={onClose}
      onSubmit={() => file && start.mutate(file)}
      result={
        start.data && {
          title: 'Import contacts',
          content: <Progress application={application} started={start.data} />,
        }
      }
    >
      {start.isError && <ProblemNotice error={start.error} />}
      <Field
        label="File"
        help="CSV with the columns external_id, name, locale, timezone, fields.NAME and channels such as sms or email; or NDJSON. Up to 100,000 rows and 256 MiB."
      >
        {(control) => (
          <input
            {...control}
            type="file"
            required
            accept=".csv,.ndjson,.jsonl,text/csv,application/x-ndjson"
            data-testid="file"
            className="w-full min-w-0 text-sm file:mr-3 file:rounded-md file:border file:border-line-strong file:bg-surface file:px-3 file:py-1.5 file:font-medium file:text-ink"
            onChange={({ target }) => setFile(target.files?.[0])}
          />
        )}
      </Field>
    </FormDialog>
  );
}

function Progress({ application, started }: { application: number; started: ContactImport }) {
  const { data = started, error } = useQuery(importQuery(application, started.id));
  const { id, total, done, created, updated, unchanged, failed } = data;
  const isDone = !isRunning(data);
  useEffect(() => {
    if (isDone) void refetchContacts(application);
  }, [application, isDone]);
  return (
    <div
      data-testid="import-result"
      data-created={isDone ? created : undefined}
      className="grid gap-3 text-sm"
    >
      {error && <ProblemNotice error={error} />}
      <ProgressBar label="Imported rows" done={done} total={total} />
      <p role="status" className="text-ink-soft tabular">
        {done.toLocaleString()} of {total.toLocaleString()} rows: {created.toLocaleString()}{' '}
        created, {updated.toLocaleString()} changed, {unchanged.toLocaleString()} unchanged,{' '}
        {failed.toLocaleString()} skipped.
      </p>
      {isDone && failed > 0 && <Errors application={application} id={id} />}
    </div>
  );
}

function Errors({ application, id }: { application: number; id: number }) {
  const { data = [], error } = useQuery(importErrorsQuery(application, id));
  if (error) return <ProblemNotice error={error} />;
  return (
    <ul aria-label="Skipped rows" className="grid gap-1">
      {data.map(({ line, detail }) => (
        <li key={`${line} ${detail}`} data-testid="import-error" className="wrap-anywhere">
          <span className="text-ink-faint tabular">Line {line}: </span>
          {sentence(detail)}
        </li>
      ))}
    </ul>
  );
}
