import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Eraser, Send } from 'lucide-react';
import { useState } from 'react';

import { ApiProblem } from '../api/problem.ts';
import type { Sandbox, SandboxMessage } from '../api/types.ts';
import { NotFoundPage } from '../frame/not-found-page.tsx';
import { integrationName } from '../integrations/integration-name.tsx';
import { channelsQuery, integrationQuery } from '../integrations/queries.ts';
import { Button } from '../ui/form/button.tsx';
import { Select } from '../ui/form/input.tsx';
import { Skeleton } from '../ui/list/skeleton.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { toast } from '../ui/toast.tsx';
import { Composer } from './composer.tsx';
import { Conversation } from './conversation.tsx';
import { Faults } from './faults.tsx';
import { conversationQuery, sandboxQuery, useAct } from './queries.ts';
import { SandboxBadge } from './sandbox-badge.tsx';

const FROM = '/app/framed/applications/$application/integrations/$integration/phone';

/** The phones of the simulated people of a sandbox integration. */
export function PhonePage() {
  const params = useParams({ from: FROM });
  const { with: chosen } = useSearch({ from: FROM });
  const application = Number(params.application);
  const id = Number(params.integration);
  const { data: integration } = useQuery(integrationQuery(application, id));
  const { data: channels } = useQuery(channelsQuery);
  const { data: sandbox, error } = useQuery(sandboxQuery(application, id));
  const act = useAct(application, id);
  if (error instanceof ApiProblem && (error.status === 404 || error.code === 'not_sandbox')) {
    return <NotFoundPage />;
  }
  const name = integration && integrationName(integration, channels);
  const address = chosen ?? sandbox?.people[0]?.address;
  return (
    <Page
      name={`Phone of ${name ?? 'an integration'}`}
      crumb={
        <Link
          to="/app/applications/$application/integrations/$integration"
          params={params}
          className="hover:text-ink"
        >
          {name ?? 'Integration'}
        </Link>
      }
      title={
        <span className="flex flex-wrap items-center gap-3">
          Phone
          {integration && <SandboxBadge integration={integration} />}
        </span>
      }
      description="What people would see, drawn from the requests that the simulated vendor received."
      actions={
        <>
          <Button asChild look="primary">
            <Link
              to="/app/applications/$application/playground"
              params={{ application: params.application }}
              search={{ integration: id, ...(address !== undefined && { to: address }) }}
            >
              <Send aria-hidden />
              Send message
            </Link>
          </Button>
          <Button
            data-testid="reset"
            busy={act.isPending && act.variables.action === 'reset'}
            onClick={() => act.mutate({ action: 'reset', body: {} }, { onError: toast.error })}
          >
            <Eraser aria-hidden />
            Reset
          </Button>
        </>
      }
    >
      {error && <ProblemNotice error={error} />}
      {sandbox && address !== undefined ? (
        <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,26rem)_minmax(0,1fr)]">
          <Handset
            key={address}
            application={application}
            integration={id}
            sandbox={sandbox}
            address={address}
          />
          <Faults application={application} integration={id} sandbox={sandbox} />
        </div>
      ) : (
        !error && <Skeleton className="h-96 rounded-lg" />
      )}
    </Page>
  );
}

interface HandsetProps {
  application: number;
  integration: number;
  sandbox: Sandbox;
  address: string;
}

function Handset({ application, integration, sandbox, address }: HandsetProps) {
  const navigate = useNavigate({
    from: '/app/applications/$application/integrations/$integration/phone',
  });
  const { data: messages, error } = useQuery(conversationQuery(application, integration, address));
  const act = useAct(application, integration);
  const [answering, setAnswering] = useState<SandboxMessage>();
  const person = sandbox.people.find((each) => each.address === address);
  const isRoom = person?.room === true;
  const run = (action: string, body: object) =>
    act.mutate({ action, body }, { onError: toast.error });
  const can = (action: Sandbox['actions'][number]) => sandbox.actions.includes(action);
  return (
    <section
      aria-label="Phone"
      className="grid overflow-hidden rounded-3xl border-4 border-line-strong bg-sunken"
    >
      <header className="flex items-center gap-2 border-b border-line bg-surface p-2">
        <Select
          aria-label="Person"
          data-testid="person"
          className="min-w-0 flex-1"
          value={address}
          onChange={({ target }) => void navigate({ search: { with: target.value } })}
        >
          {sandbox.people.map((each) => (
            <option key={each.address} value={each.address}>
              {each.name === each.address ? each.name : `${each.name} (${each.address})`}
            </option>
          ))}
        </Select>
        {can('block') && !isRoom && (
          <Button
            size="sm"
            aria-pressed={person?.blocked === true}
            disabled={act.isPending}
            onClick={() => run('block', { from: address, blocked: person?.blocked !== true })}
          >
            {person?.blocked === true ? 'Unblock' : 'Block sender'}
          </Button>
        )}
      </header>
      <div className="h-[28rem] overflow-y-auto">
        {error && <ProblemNotice error={error} />}
        {messages?.length === 0 && (
          <p data-testid="no-messages" className="px-4 py-10 text-center text-sm text-ink-soft">
            No messages yet. Send one to {address}.
          </p>
        )}
        {messages && (
          <Conversation
            application={application}
            integration={integration}
            messages={messages}
            onPress={
              can('press')
                ? (message, button) => run('press', { message: message.id, button })
                : undefined
            }
            onRead={
              sandbox.receipts
                ? (message) => run('receipts', { message: message.id, state: 'read' })
                : undefined
            }
            onAnswer={can('message') ? setAnswering : undefined}
          />
        )}
      </div>
      {can('message') && (
        <Composer
          busy={act.isPending}
          answering={answering}
          onCancel={() => setAnswering(undefined)}
          onSend={(content) => {
            const where = isRoom ? { room: address } : { from: address };
            run('reply', { ...where, ...content, ...(answering && { reply_to: answering.id }) });
            setAnswering(undefined);
          }}
        />
      )}
    </section>
  );
}
