import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight, Reply } from 'lucide-react';

import { isNotFound } from '../api/problem.ts';
import type { FeedEvent } from '../api/types.ts';
import { NotFoundPage } from '../frame/not-found-page.tsx';
import { IntegrationName } from '../integrations/integration-name.tsx';
import { useSession } from '../session/session.ts';
import { Fact, Facts, Section } from '../ui/card.tsx';
import { Code, Json } from '../ui/code.tsx';
import { Button } from '../ui/form/button.tsx';
import { Copyable } from '../ui/form/copy.tsx';
import { Skeleton } from '../ui/list/skeleton.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { Page, linkClass } from '../ui/page.tsx';
import { Time } from '../ui/time.tsx';
import { EventBadge } from './event-badge.tsx';
import { factsOf, filesOf } from './event-data.ts';
import { TYPES } from './event-type.ts';
import { eventQuery } from './event.ts';
import { ReceivedFiles } from './received-files.tsx';

export function EventPage() {
  const params = useParams({ from: '/app/framed/applications/$application/events/$event' });
  const application = Number(params.application);
  const id = Number(params.event);
  const { data, isLoadingError, error, refetch } = useQuery(eventQuery(application, id));
  if (isNotFound(error)) return <NotFoundPage />;
  return (
    <Page
      name={`Event ${id}`}
      crumb={
        <Link
          to="/app/applications/$application/events"
          params={{ application: params.application }}
        >
          Events
        </Link>
      }
      title={
        <span className="flex flex-wrap items-center gap-3">
          Event {id}
          {data ? <EventBadge type={data.type} /> : <Skeleton className="w-28" />}
        </span>
      }
      actions={<Neighbors application={params.application} id={id} />}
    >
      {isLoadingError && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data ? (
        <EventContent application={application} event={data} />
      ) : (
        !error && <Skeleton className="h-80 rounded-lg" />
      )}
    </Page>
  );
}

/** Event ids have no gaps, so the neighbors are id − 1 and id + 1. */
function Neighbors({ application, id }: { application: string; id: number }) {
  const to = '/app/applications/$application/events/$event';
  const params = (event: number) => ({ application, event: String(event) });
  return (
    <>
      {id > 1 && (
        <Button asChild>
          <Link to={to} params={params(id - 1)}>
            <ChevronLeft aria-hidden />
            Previous
          </Link>
        </Button>
      )}
      <Button asChild>
        <Link data-testid="next-event" to={to} params={params(id + 1)}>
          Next
          <ChevronRight aria-hidden />
        </Link>
      </Button>
    </>
  );
}

function EventContent({ application, event }: { application: number; event: FeedEvent }) {
  const { public_url: url } = useSession();
  const { text } = factsOf(event);
  const files = filesOf(event);
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,26rem)]">
      <Section
        title="Event data"
        description="The same for webhook, feed and WebSocket."
        className="max-lg:order-2"
      >
        <Json value={event} tall />
      </Section>
      <div className="grid gap-4">
        {(text !== '' || files.length > 0) && (
          <Section
            testId="event-content"
            title={TYPES[event.type].label}
            actions={<ReplyLink application={application} event={event} />}
          >
            <div className="grid gap-3">
              {text !== '' && (
                <p className="max-h-72 overflow-y-auto text-sm wrap-anywhere whitespace-pre-wrap">
                  {text}
                </p>
              )}
              <ReceivedFiles application={application} files={files} />
            </div>
          </Section>
        )}
        <Details application={application} event={event} />
        <Section title="Read from the feed">
          <Code
            language="shell"
            text={`curl '${url}/1/events?after=${event.id - 1}&limit=1' \\\n  -H "Authorization: Bearer $SWITCHBOARD_TOKEN"`}
          />
        </Section>
      </div>
    </div>
  );
}

/** Link to the playground, with the sender as recipient. */
function ReplyLink({ application, event }: { application: number; event: FeedEvent }) {
  const { actor, integration } = factsOf(event);
  if (!actor || integration === undefined) return null;
  return (
    <Button asChild size="sm">
      <Link
        data-testid="reply"
        to="/app/applications/$application/playground"
        params={{ application: String(application) }}
        search={{ integration, to: actor.id }}
      >
        <Reply aria-hidden />
        Reply
      </Link>
    </Button>
  );
}

function Details({ application, event }: { application: number; event: FeedEvent }) {
  const { actor, group, message, to, integration, channel, sandbox } = factsOf(event);
  return (
    <Section title="Details">
      <Facts>
        <Fact name="Time">
          <Time at={event.timestamp} exact />
        </Fact>
        <Fact name="Webhook">
          <Link
            to="/app/applications/$application/events/deliveries"
            params={{ application: String(application) }}
            search={{ event: event.id }}
            className={linkClass}
          >
            Show deliveries
          </Link>
        </Fact>
        {message !== undefined && (
          <Fact name="Message">
            <Link
              to="/app/applications/$application/messages/$message"
              params={{ application: String(application), message: String(message) }}
              className={linkClass}
            >
              {message}
            </Link>
          </Fact>
        )}
        {to !== undefined && (
          <Fact name="To">
            <Copyable text={to} />
          </Fact>
        )}
        {actor && (
          <Fact name="From">
            {actor.name !== undefined && <span className="mr-2">{actor.name}</span>}
            <Copyable text={actor.id} />
          </Fact>
        )}
        {group && (
          <Fact name="Group">
            {group.name !== undefined && <span className="mr-2">{group.name}</span>}
            <Copyable text={group.id} />
          </Fact>
        )}
        {integration !== undefined && (
          <Fact name="Integration">
            <IntegrationName
              application={application}
              id={integration}
              channel={channel}
              sandbox={sandbox}
            />
          </Fact>
        )}
      </Facts>
    </Section>
  );
}
