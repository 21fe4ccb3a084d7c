import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo } from 'react';

import { isNotFound, sentence } from '../api/problem.ts';
import { useFeed } from '../api/realtime.ts';
import type { MessageDetail } from '../api/types.ts';
import { useLiveApplication } from '../applications/queries.ts';
import { NotFoundPage } from '../frame/not-found-page.tsx';
import { IntegrationName } from '../integrations/integration-name.tsx';
import { channelsQuery, integrationsQuery } from '../integrations/queries.ts';
import { OptionList } from '../options/option-list.tsx';
import { Badge } from '../ui/badge.tsx';
import { Fact, Facts, Section } from '../ui/card.tsx';
import { Json } from '../ui/code.tsx';
import { Copyable } from '../ui/form/copy.tsx';
import { Skeleton } from '../ui/list/skeleton.tsx';
import { Notice, ProblemNotice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { Prose } from '../ui/prose.tsx';
import { Time } from '../ui/time.tsx';
import { AdjacentMessages } from './adjacent-messages.tsx';
import { Bubble } from './drawing/bubble.tsx';
import { DrawnFrom } from './drawing/image.tsx';
import { stateChange } from './list.ts';
import { MessageActions } from './message-actions.tsx';
import { attemptsQuery, isSettled, messageQuery, refetchMessage } from './queries.ts';
import { Receipts } from './receipts.tsx';
import { RouteList } from './route-list/route-list.tsx';
import { StateBadge } from './state.tsx';
import { Timeline } from './timeline.tsx';

const POLL_INTERVAL_MS = 2_000;

export function MessagePage() {
  const params = useParams({ from: '/app/framed/applications/$application/messages/$message' });
  const application = Number(params.application);
  const id = Number(params.message);
  const { data, isLoadingError, error, refetch } = useQuery({
    ...messageQuery(application, id),
    refetchInterval: ({ state }) => (isPolled(state.data) ? POLL_INTERVAL_MS : false),
  });
  const { data: attempts = [] } = useQuery({
    ...attemptsQuery(application, id),
    refetchInterval: () => (isPolled(data) && data?.state !== 'sent' ? POLL_INTERVAL_MS : false),
  });
  useFeed(useLiveApplication(application), ({ data: eventData }) => {
    if (stateChange(eventData)?.id === id) void refetchMessage(application, id);
  });
  const channelTitle = useChannelTitle(application, data);
  if (isNotFound(error)) return <NotFoundPage />;
  const crumb = (
    <Link to="/app/applications/$application/messages" params={{ application: params.application }}>
      Messages
    </Link>
  );
  return (
    <Page
      name={`Message ${id}`}
      crumb={crumb}
      title={
        <span className="flex flex-wrap items-center gap-3">
          Message {id}
          {data ? <StateBadge state={data.state} /> : <Skeleton className="w-20" />}
        </span>
      }
      actions={data && <MessageActions application={application} message={data} />}
    >
      {isLoadingError && (
        <ProblemNotice error={error} onRetry={() => void refetch()} className="mb-4" />
      )}
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
              <p>
                <Prose text={data.error.help} />
              </p>
            </Notice>
          )}
          <div className="grid items-start gap-4 lg:grid-rows-[auto_1fr] lg:grid-cols-[minmax(0,1fr)_minmax(0,26rem)]">
            <div className="grid gap-4">
              {data.routes && (
                <Section title="Routes" description="One after the other, until one succeeds.">
                  <RouteList application={application} message={data} />
                </Section>
              )}
              <Section title="Timeline">
                <Timeline message={data} attempts={attempts} channel={channelTitle} />
              </Section>
            </div>
            <div className="grid gap-4 lg:row-span-2">
              <Content application={application} message={data} />
              <Details application={application} message={data} />
              <AdjacentMessages application={application} message={data} />
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

/** Whether the message may change: it is not settled, or waits for a report. */
const isPolled = (message: MessageDetail | undefined): boolean =>
  message !== undefined && (!isSettled(message.state) || message.waiting !== null);

function Content({ application, message }: { application: number; message: MessageDetail }) {
  const { id } = message;
  const from = useMemo(() => ({ application, message: id }), [application, id]);
  return (
    <Section title="Message" description="As the recipient sees it.">
      <div className="max-h-[40rem] overflow-y-auto" tabIndex={0} role="group" aria-label="Message">
        <DrawnFrom value={from}>
          <Bubble activity={message.message} />
        </DrawnFrom>
      </div>
      <Receipts message={message} />
    </Section>
  );
}

/** The channel's name for people; the integration may be deleted. */
function useChannelTitle(application: number, message: MessageDetail | undefined): string {
  const { data: integrations } = useQuery(integrationsQuery(application));
  const { data: channels } = useQuery(channelsQuery);
  const name = integrations?.find(({ id }) => id === message?.integration_id)?.name;
  return channels?.find((channel) => channel.name === name)?.title ?? name ?? 'the channel';
}

function Details({ application, message }: { application: number; message: MessageDetail }) {
  return (
    <Section title="Details">
      <Facts>
        <Fact name="Recipient">
          <Copyable text={message.to} />
        </Fact>
        <Fact name="Integration">
          <IntegrationName
            application={application}
            id={message.integration_id}
            sandbox={message.sandbox === true}
          />
        </Fact>
        <Fact name="Accepted">
          <Time at={message.created_at} exact />
        </Fact>
        <Fact name="Updated">
          <Time at={message.updated_at} exact />
        </Fact>
        {message.send_at !== undefined && message.send_at > message.created_at && (
          <Fact name="Scheduled for">
            <Time at={message.send_at} exact />
          </Fact>
        )}
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
          {message.failed_attempts > 0 && !message.routes && ` (${message.failed_attempts} failed)`}
        </Fact>
        {message.cost && (
          <Fact name="Cost">
            <Cost cost={message.cost} />
          </Fact>
        )}
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

function Cost({ cost }: { cost: NonNullable<MessageDetail['cost']> }) {
  const { amount, currency, category, billable } = cost;
  const unknown = billable ? 'Amount not reported' : 'Not charged';
  return (
    <span data-testid="cost" className="flex flex-wrap items-center gap-2">
      {amount === null ? unknown : `${amount} ${currency ?? ''}`}
      {category !== null && <Badge>{category}</Badge>}
    </span>
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
