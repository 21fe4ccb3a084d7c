import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';

import { fieldError } from '../api/problem.ts';
import type { Application } from '../api/types.ts';
import { ConsentPolicies } from '../consents/consent-policies.tsx';
import { QuietHoursPolicy } from '../consents/quiet-hours.tsx';
import { RetentionPolicy } from '../consents/retention.tsx';
import { useSession } from '../session/session.ts';
import { UserName } from '../team/user-name.tsx';
import { Fact, Facts, Section } from '../ui/card.tsx';
import { Button } from '../ui/form/button.tsx';
import { Choice } from '../ui/form/choice.tsx';
import { Confirm } from '../ui/form/confirm.tsx';
import { Copyable } from '../ui/form/copy.tsx';
import { Form } from '../ui/form/form.tsx';
import { TextField } from '../ui/form/text-field.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import {
  deleteApplication,
  deliveryQuery,
  forgetApplication,
  useApplication,
  useChangeApplication,
  useChangeDelivery,
  useSetApplicationState,
} from './application.ts';

export function GeneralPage() {
  const application = useApplication();
  const { user } = useSession();
  if (!application) return null;
  const { id, owner_id, created_at, updated_at } = application;
  return (
    <div className="grid gap-4">
      <Section title="General">
        <div className="grid gap-5 md:grid-cols-2">
          <Rename key={application.name} application={application} />
          <Facts className="content-start">
            <Fact name="Id">
              <Copyable text={String(id)} />
            </Fact>
            <Fact name="Owner">{owner_id === user.id ? 'You' : <UserName id={owner_id} />}</Fact>
            <Fact name="Created">
              <Time at={created_at} exact />
            </Fact>
            <Fact name="Updated">
              <Time at={updated_at} />
            </Fact>
          </Facts>
        </div>
      </Section>
      <UncertainDeliveries application={id} />
      <ConsentPolicies application={id} />
      <QuietHoursPolicy application={id} />
      <RetentionPolicy application={id} />
      <StateSection application={application} />
      <DeleteSection application={application} />
    </div>
  );
}

function Rename({ application: { id, name: savedName } }: { application: Application }) {
  const [name, setName] = useState(savedName);
  const change = useChangeApplication(id);
  const nameError = fieldError(change.error, 'name');
  const isChanged = name.trim() !== savedName;
  return (
    <Form
      className="grid content-start gap-3"
      onSubmit={() => {
        if (isChanged)
          change.mutate(
            { name: name.trim() },
            { onSuccess: () => toast.ok('Application renamed') },
          );
      }}
    >
      <TextField
        label="Name"
        help="At least 6 characters. Your code uses the id, not the name."
        error={nameError}
        value={name}
        onValue={setName}
      />
      {change.isError && nameError === undefined && <ProblemNotice error={change.error} />}
      <div>
        <Button type="submit" data-testid="rename" busy={change.isPending} disabled={!isChanged}>
          Rename application
        </Button>
      </div>
    </Form>
  );
}

function UncertainDeliveries({ application }: { application: number }) {
  const { data, isLoadingError, error, refetch } = useQuery(deliveryQuery(application));
  const change = useChangeDelivery(application);
  return (
    <Section
      title="Uncertain deliveries"
      description="If the connection breaks before the channel responds, it is unknown whether the message was sent. This setting applies to channels that cannot detect duplicates."
    >
      {isLoadingError ? (
        <ProblemNotice error={error} onRetry={() => void refetch()} />
      ) : (
        <Choice
          label="Uncertain deliveries"
          value={data?.uncertain}
          disabled={data === undefined}
          onChange={(uncertain) => change.mutate({ uncertain })}
          className="md:grid-cols-2"
          options={[
            {
              value: 'resend',
              label: 'Resend',
              help: 'At least once: in rare cases, a message arrives twice. Best for most messages.',
            },
            {
              value: 'hold',
              label: 'Hold',
              help: 'At most once: the message becomes uncertain, and you choose whether to resend it.',
            },
          ]}
        />
      )}
    </Section>
  );
}

function StateSection({ application: { id, name, state } }: { application: Application }) {
  const [confirming, setConfirming] = useState(false);
  const switchState = useSetApplicationState();
  const isEnabled = state === 'enable';
  return (
    <>
      <Section
        title={isEnabled ? 'Disable application' : 'Enable application'}
        description={
          isEnabled
            ? 'A disabled application accepts and sends no messages. Queued messages wait until you enable it.'
            : 'Queued messages are sent once the application is enabled.'
        }
        actions={
          isEnabled ? (
            <Button data-testid="disable" onClick={() => setConfirming(true)}>
              Disable application
            </Button>
          ) : (
            <Button
              data-testid="enable"
              look="primary"
              busy={switchState.isPending}
              onClick={() => switchState.mutate({ id, state: 'enable' }, { onError: toast.error })}
            >
              Enable application
            </Button>
          )
        }
      />
      <Confirm
        open={confirming}
        onClose={() => setConfirming(false)}
        title={`Disable ${name}?`}
        action="Disable application"
        onConfirm={() => switchState.mutateAsync({ id, state: 'disable' })}
      >
        New messages and changes are refused, and no messages are sent. Queued messages wait until
        you enable it again.
      </Confirm>
    </>
  );
}

function DeleteSection({ application: { id, name } }: { application: Application }) {
  const [confirming, setConfirming] = useState(false);
  const navigate = useNavigate();
  return (
    <>
      <Section
        title="Delete application"
        description="Permanent. Keys and integrations are deleted at once, messages and events soon after."
        actions={
          <Button data-testid="delete" look="dangerQuiet" onClick={() => setConfirming(true)}>
            Delete application
          </Button>
        }
      />
      <Confirm
        open={confirming}
        onClose={() => setConfirming(false)}
        title={`Delete ${name}?`}
        action="Delete application"
        danger
        requiredText={name}
        onConfirm={async () => {
          await deleteApplication(id);
          toast.ok(`${name} deleted`);
          await navigate({ to: '/app/applications' });
          forgetApplication(id);
        }}
      >
        This cannot be undone. Its integrations, keys and webhook stop working, and queued messages
        are not sent. To stop it for a while, disable it instead.
      </Confirm>
    </>
  );
}
