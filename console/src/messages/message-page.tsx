import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Ban, RotateCcw } from 'lucide-react';
import { useState } from 'react';

import { ApiProblem, sentence } from '../api/problem.ts';
import { useFeed } from '../api/realtime.ts';
import type { MessageDetail } from '../api/types.ts';
import { useLiveApplication } from '../applications/queries.ts';
import { NotFoundPage } from '../frame/not-found-page.tsx';
import { IntegrationName } from '../integrations/integration-name.tsx';
import { OptionList } from '../options/option-list.tsx';
import { useSession } from '../session/session.ts';
import { Fact, Facts, Section } from '../ui/card.tsx';
import { Json } from '../ui/code.tsx';
import { Button } from '../ui/form/button.tsx';
import { Confirm } from '../ui/form/confirm.tsx';
import { CopyButton, Copyable } from '../ui/form/copy.tsx';
import { Skeleton } from '../ui/list/skeleton.tsx';
import { Notice, ProblemNotice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import { activityText } from './activity-text.ts';
import { stateChange } from './list.ts';
import {
  attemptsQuery,
  isSettled,
  refetchMessage,
  canCancel,
  canResend,
  messageQuery,
  useCancel,
  useResend,
  useRetry,
} from './queries.ts';
import { asCurl } from './snippets.ts';
import { StateBadge } from './state.tsx';
import { Timeline } from './timeline.tsx';

const POLL_INTERVAL_MS = 2_000;

export function MessagePage() {
  const params = useParams({ from: '/app/framed/applications/$application/messages/$message' });
  const application = Number(params.application);
  const id = Number(params.message);
  const { data, error, refetch } = useQuery({
    ...messageQuery(application, id),
    refetchInterval: ({ state }) =>
      state.data === undefined || isSettled(state.data.state) ? false : POLL_INTERVAL_MS,
  });
  const { data: attempts = [] } = useQuery({
    ...attemptsQuery(application, id),
    refetchInterval: () =>
      data === undefined || isSettled(data.state) || data.state === 'sent'
        ? false
        : POLL_INTERVAL_MS,
  });
  useFeed(useLiveApplication(application), ({ data: eventData }) => {
    if (stateChange(eventData)?.id === id) void refetchMessage(application, id);
  });
  if (error instanceof ApiProblem && error.status === 404) return <NotFoundPage />;
  const crumb = (
    <Link
      to="/app/applications/$application/messages"
      params={{ application: params.application }}
      className="hover:text-ink"
    >
      Messages
    </Link>
  );
  return (
    <Page
      name={`Message ${id}`}
      crumb={crumb}
      wide
      title={
        <span className="flex flex-wrap items-center gap-3">
          Message {id}
          {data ? <StateBadge state={data.state} /> : <Skeleton className="w-20" />}
        </span>
      }
      actions={data && <Actions application={application} message={data} />}
    >
      {error && <ProblemNotice error={error} onRetry={() => void refetch()} className="mb-4" />}
      {data ? (
        <>
          {data.error !== null && (
            <Notice
              testId="error"
              code={data.error.code}
              tone={data.state === 'queued' ? 'warn' : 'bad'}
              title={data.error.title}
              className="mb-4"
            >
              {data.error.detail !== null && <p>{sentence(data.error.detail)}</p>}
              <p>{data.error.help}</p>
            </Notice>
          )}
          <div className="grid items-start gap-4 lg:grid-rows-[auto_1fr] lg:grid-cols-[minmax(0,1fr)_minmax(0,26rem)]">
            <Section title="Timeline">
              <Timeline message={data} attempts={attempts} />
            </Section>
            <div className="grid gap-4 lg:row-span-2">
              <Content message={data} />
              <Details application={application} message={data} />
            </div>
            <Section title="Activity" description="As received by the API.">
              <Json value={data.message} />
            </Section>
          </div>
        </>
      ) : (
        !error && <Waiting />
      )}
    </Page>
  );
}

function Content({ message }: { message: MessageDetail }) {
  const text = activityText(message.message);
  return (
    <Section title="Content">
      {text === '' ? (
        <p className="text-sm text-ink-faint">No text</p>
      ) : (
        <p className="max-h-72 overflow-y-auto text-sm wrap-anywhere whitespace-pre-wrap">{text}</p>
      )}
    </Section>
  );
}

function Details({ application, message }: { application: number; message: MessageDetail }) {
  return (
    <Section title="Details">
      <Facts>
        <Fact name="Recipient">
          <Copyable text={message.to} />
        </Fact>
        <Fact name="Integration">
          <IntegrationName application={application} id={message.integration_id} />
        </Fact>
        <Fact name="Accepted">
          <Time at={message.created_at} exact />
        </Fact>
        <Fact name="Updated">
          <Time at={message.updated_at} exact />
        </Fact>
        {message.expires_at !== null && (
          <Fact name="Expires">
            <Time at={message.expires_at} exact />
          </Fact>
        )}
        {message.options && (
          <Fact name="Options">
            <OptionList options={message.options} />
          </Fact>
        )}
        <Fact name="Attempts">
          {message.attempts}
          {message.failed_attempts > 0 && ` (${message.failed_attempts} failed)`}
        </Fact>
        {message.parts_sent > 1 && <Fact name="Parts sent">{message.parts_sent}</Fact>}
        {message.channel_ids.length > 0 && (
          <Fact name="Channel message id">
            {message.channel_ids.map((each) => (
              <Copyable key={each} text={each} />
            ))}
          </Fact>
        )}
      </Facts>
    </Section>
  );
}

function Actions({ application, message }: { application: number; message: MessageDetail }) {
  const { id, state } = message;
  const { public_url: url } = useSession();
  const resend = useResend(application, id);
  const cancel = useCancel(application, id);
  const retry = useRetry(application, id);
  const [confirming, setConfirming] = useState(false);
  const again = () =>
    resend.mutate(undefined, {
      onSuccess: () => toast.ok('Queued behind other messages to this recipient'),
      onError: toast.error,
    });
  return (
    <>
      <CopyButton
        labelled
        size="md"
        data-testid="copy-curl"
        label="Copy as curl"
        text={asCurl({ url, activity: message.message, options: message.options })}
      />
      {message.waiting?.reason === 'retry' && (
        <Button
          data-testid="retry"
          look="primary"
          busy={retry.isPending}
          onClick={() =>
            retry.mutate(undefined, {
              onSuccess: () => toast.ok('Retrying now'),
              onError: toast.error,
            })
          }
        >
          <RotateCcw aria-hidden />
          Retry now
        </Button>
      )}
      {canCancel(state) && (
        <Button
          data-testid="cancel"
          busy={cancel.isPending}
          onClick={() =>
            cancel.mutate(undefined, {
              onSuccess: () => toast.ok('Message canceled', { label: 'Resend', run: again }),
              onError: toast.error,
            })
          }
        >
          <Ban aria-hidden />
          Cancel message
        </Button>
      )}
      {canResend(state) && (
        <Button
          data-testid="resend"
          look="primary"
          busy={resend.isPending}
          onClick={() => (state === 'uncertain' ? setConfirming(true) : again())}
        >
          <RotateCcw aria-hidden />
          Resend message
        </Button>
      )}
      <Confirm
        open={confirming}
        onClose={() => setConfirming(false)}
        title="Resend message?"
        action="Resend message"
        onConfirm={() => resend.mutateAsync()}
      >
        The response of the channel was lost, so the message may have been sent. If it was, the
        recipient gets it twice.
      </Confirm>
    </>
  );
}

function Waiting() {
  return (
    <div
      role="status"
      aria-label="Loading"
      className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_26rem]"
    >
      <Skeleton className="h-80 rounded-lg" />
      <Skeleton className="h-56 rounded-lg" />
    </div>
  );
}
