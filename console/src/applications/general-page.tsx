import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';

import { fieldError } from '../api/problem.ts';
import type { Application } from '../api/types.ts';
import { useSession } from '../session/session.ts';
import { UserName } from '../team/user-name.tsx';
import { Fact, Facts, Section } from '../ui/card.tsx';
import { Button } from '../ui/form/button.tsx';
import { Choice } from '../ui/form/choice.tsx';
import { Confirm } from '../ui/form/confirm.tsx';
import { Copyable } from '../ui/form/copy.tsx';
import { Field } from '../ui/form/field.tsx';
import { Input } from '../ui/form/input.tsx';
import { Moment } from '../ui/moment.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import {
  deleteApplication,
  deliveryQuery,
  forgetApplication,
  useApplication,
  useChangeApplication,
  useChangeDelivery,
  useSwitchApplication,
} from './application.ts';

export function GeneralPage() {
  const application = useApplication();
  const { user } = useSession();
  if (!application) return null;
  const { id, owner_id, created_at, updated_at } = application;
  return (
    <div className="grid gap-4">
      <Section title="About">
        <div className="grid gap-5 md:grid-cols-2">
          <Rename key={application.name} application={application} />
          <Facts className="content-start">
            <Fact name="Id">
              <Copyable text={String(id)} />
            </Fact>
            <Fact name="Owner">{owner_id === user.id ? 'You' : <UserName id={owner_id} />}</Fact>
            <Fact name="Created">
              <Moment at={created_at} exact />
            </Fact>
            <Fact name="Changed">
              <Moment at={updated_at} />
            </Fact>
          </Facts>
        </div>
      </Section>
      <Lost application={id} />
      <Turn application={application} />
      <Remove application={application} />
    </div>
  );
}

function Rename({ application: { id, name: known } }: { application: Application }) {
  const [name, setName] = useState(known);
  const change = useChangeApplication(id);
  const wrong = fieldError(change.error, 'name');
  const isChanged = name.trim() !== known;
  return (
    <form
      className="grid content-start gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged)
          change.mutate(
            { name: name.trim() },
            { onSuccess: () => toast.ok('The application has its new name.') },
          );
      }}
    >
      <Field
        label="Name"
        help="For people, and at least 6 characters. Your code goes by the id."
        error={wrong}
      >
        {(control) => (
          <Input
            {...control}
            value={name}
            autoComplete="off"
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      {change.isError && wrong === undefined && <ProblemNotice error={change.error} />}
      <div>
        <Button type="submit" data-testid="rename" busy={change.isPending} disabled={!isChanged}>
          Rename
        </Button>
      </div>
    </form>
  );
}

function Lost({ application }: { application: number }) {
  const { data, error, refetch } = useQuery(deliveryQuery(application));
  const change = useChangeDelivery(application);
  return (
    <Section
      title="When an answer is lost"
      description="A connection can break after a message was handed over and before the channel has answered. Some channels can tell a repetition; for the others, choose what is worse."
    >
      {error ? (
        <ProblemNotice error={error} onRetry={() => void refetch()} />
      ) : (
        <Choice
          label="When an answer is lost"
          value={data?.uncertain}
          disabled={data === undefined}
          onChange={(uncertain) => change.mutate({ uncertain })}
          className="md:grid-cols-2"
          options={[
            {
              value: 'resend',
              label: 'Send it again',
              help: 'It arrives at least once, and in rare cases twice. For most messages that is best.',
            },
            {
              value: 'hold',
              label: 'Hold it for a person',
              help: 'It arrives at most once. It becomes uncertain, and you decide on its page.',
            },
          ]}
        />
      )}
    </Section>
  );
}

function Turn({ application: { id, name, state } }: { application: Application }) {
  const [asking, setAsking] = useState(false);
  const turn = useSwitchApplication();
  const isOn = state === 'enable';
  return (
    <>
      <Section
        title={isOn ? 'Disable' : 'Enable'}
        description={
          isOn
            ? 'It sends nothing until it is enabled again, and takes no new messages. What is queued waits; nothing is lost.'
            : 'It sends nothing now. What is queued goes out once it is enabled.'
        }
        actions={
          isOn ? (
            <Button data-testid="disable" onClick={() => setAsking(true)}>
              Disable…
            </Button>
          ) : (
            <Button
              data-testid="enable"
              look="primary"
              busy={turn.isPending}
              onClick={() => turn.mutate({ id, state: 'enable' }, { onError: toast.error })}
            >
              Enable
            </Button>
          )
        }
      />
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={`Disable ${name}?`}
        action="Disable it"
        onConfirm={() => turn.mutateAsync({ id, state: 'disable' })}
      >
        Its calls are refused and nothing more is sent, from this moment on. What is queued waits
        until you enable it again.
      </Confirm>
    </>
  );
}

function Remove({ application: { id, name } }: { application: Application }) {
  const [asking, setAsking] = useState(false);
  const navigate = useNavigate();
  return (
    <>
      <Section
        title="Delete"
        description="For good: its keys and integrations are gone at once, its messages and events soon after."
        actions={
          <Button data-testid="delete" look="dangerQuiet" onClick={() => setAsking(true)}>
            Delete…
          </Button>
        }
      />
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={`Delete ${name}?`}
        action="Delete it for good"
        danger
        typed={name}
        onConfirm={async () => {
          await deleteApplication(id);
          toast.ok(`${name} is deleted.`);
          await navigate({ to: '/app/applications' });
          forgetApplication(id);
        }}
      >
        This cannot be undone. Its integrations, keys and webhook end now; what is queued is not
        sent. If you only want it to be quiet, disable it instead.
      </Confirm>
    </>
  );
}
