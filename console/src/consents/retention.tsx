import { useState } from 'react';

import { fieldError } from '../api/problem.ts';
import type { Policies } from '../api/types.ts';
import { useChangeRetention } from '../applications/application.ts';
import { Button } from '../ui/form/button.tsx';
import { Form } from '../ui/form/form.tsx';
import { TextField } from '../ui/form/text-field.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { PolicySection } from './policy-section.tsx';

type Retention = Policies['retention'];

/** For how long the application keeps its data. */
export function RetentionPolicy({ application }: { application: number }) {
  return (
    <PolicySection
      application={application}
      policy="retention"
      title="Retention"
      description="How long finished messages, events, conversations and chats are kept. Scheduled messages, contacts and consents are not affected."
      renderForm={(saved) => <RetentionForm application={application} saved={saved} />}
    />
  );
}

function RetentionForm({ application, saved }: { application: number; saved: Retention }) {
  const savedDays = String(saved.days ?? '');
  const [text, setText] = useState(savedDays);
  const change = useChangeRetention(application);
  const daysError = fieldError(change.error, 'retention/days');
  return (
    <Form
      className="grid gap-4"
      data-testid="retention"
      onSubmit={() =>
        change.mutate(text.trim() === '' ? null : Number(text), {
          onSuccess: () => toast.ok('Retention saved'),
        })
      }
    >
      <TextField
        label="Days"
        help={`Empty: ${saved.service_days} days, the default of the service. A shorter time deletes older data within an hour.`}
        error={daysError}
        type="number"
        min={1}
        step={1}
        value={text}
        onValue={setText}
      />
      {change.isError && daysError === undefined && <ProblemNotice error={change.error} />}
      <div>
        <Button
          type="submit"
          data-testid="save-retention"
          busy={change.isPending}
          disabled={text.trim() === savedDays}
        >
          Save retention
        </Button>
      </div>
    </Form>
  );
}
