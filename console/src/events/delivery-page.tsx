import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Check, CircleHelp, CircleX, Clock, type LucideIcon, RotateCcw } from 'lucide-react';

import { isNotFound } from '../api/problem.ts';
import type { Attempt, WebhookDelivery } from '../api/types.ts';
import { NotFoundPage } from '../frame/not-found-page.tsx';
import { AttemptDetail } from '../messages/attempt.tsx';
import { TONE_TEXT, type Tone } from '../ui/badge.tsx';
import { Fact, Facts, Section } from '../ui/card.tsx';
import { cn } from '../ui/cn.ts';
import { Json } from '../ui/code.tsx';
import { Button } from '../ui/form/button.tsx';
import { Skeleton } from '../ui/list/skeleton.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { Page, linkClass } from '../ui/page.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import {
  POLL_INTERVAL_MS,
  deliveryAttemptsQuery,
  deliveryQuery,
  useRedeliver,
} from './deliveries.ts';
import { DeliveryState, isFinished } from './delivery-state.tsx';
import { EventBadge } from './event-badge.tsx';
import { eventQuery } from './event.ts';

/** One delivery with the request and response of each attempt. */
export function DeliveryPage() {
  const params = useParams({
    from: '/app/framed/applications/$application/events/deliveries/$delivery',
  });
  const application = Number(params.application);
  const id = Number(params.delivery);
  const { data, isLoadingError, error, refetch } = useQuery({
    ...deliveryQuery(application, id),
    refetchInterval: ({ state }) =>
      state.data && !isFinished(state.data) ? POLL_INTERVAL_MS : false,
  });
  const { data: attempts } = useQuery({
    ...deliveryAttemptsQuery(application, id),
    refetchInterval: () => (data && !isFinished(data) ? POLL_INTERVAL_MS : false),
  });
  if (isNotFound(error)) return <NotFoundPage />;
  return (
    <Page
      name={`Delivery ${id}`}
      crumb={
        <Link
          to="/app/applications/$application/events/deliveries"
          params={{ application: params.application }}
        >
          Webhook deliveries
        </Link>
      }
      title={
        <span className="flex flex-wrap items-center gap-3">
          Delivery {id}
          {data ? <DeliveryState delivery={data} /> : <Skeleton className="w-20" />}
        </span>
      }
      actions={data && <ResendButton application={application} delivery={data} />}
    >
      {isLoadingError && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {data ? (
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,26rem)]">
          <Section title="Attempts">
            {attempts ? <Attempts attempts={attempts} /> : <Skeleton className="h-24 w-full" />}
          </Section>
          <div className="grid gap-4">
            <Details application={application} delivery={data} />
            <EventSection application={application} id={data.event_id} />
          </div>
        </div>
      ) : (
        !error && <Skeleton className="h-80 rounded-lg" />
      )}
    </Page>
  );
}

function ResendButton({
  application,
  delivery,
}: {
  application: number;
  delivery: WebhookDelivery;
}) {
  const resend = useRedeliver(application);
  if (!isFinished(delivery)) return null;
  return (
    <Button
      data-testid="resend"
      look="primary"
      busy={resend.isPending}
      onClick={() =>
        resend.mutate(delivery.id, {
          onSuccess: () => toast.ok('Queued for delivery, behind waiting events'),
          onError: toast.error,
        })
      }
    >
      <RotateCcw aria-hidden />
      Resend event
    </Button>
  );
}

const OUTCOMES: Record<Attempt['outcome'], { tone: Tone; icon: LucideIcon; label: string }> = {
  sent: { tone: 'ok', icon: Check, label: 'Delivered' },
  limited: { tone: 'warn', icon: Clock, label: 'Rate limited by the endpoint' },
  transient: { tone: 'warn', icon: RotateCcw, label: 'Failed, will retry' },
  uncertain: { tone: 'warn', icon: CircleHelp, label: 'Uncertain: no response' },
  permanent: { tone: 'bad', icon: CircleX, label: 'Endpoint refused (410)' },
};

function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  if (attempts.length === 0)
    return <p className="text-sm text-ink-faint">No attempts yet. Earlier deliveries go first.</p>;
  return (
    <ol className="grid gap-5">
      {attempts.map((attempt) => {
        const { tone, icon: Icon, label } = OUTCOMES[attempt.outcome];
        return (
          <li
            key={attempt.number}
            data-outcome={attempt.outcome}
            data-status={attempt.status}
            className="flex gap-3"
          >
            <span
              className={cn(
                'flex size-6 shrink-0 items-center justify-center rounded-full border border-line',
                TONE_TEXT[tone],
              )}
            >
              <Icon className="size-3.5" aria-hidden />
            </span>
            <div className="min-w-0 flex-1 pt-0.5">
              <div className="mb-1 flex flex-wrap items-baseline justify-between gap-x-3">
                <h3 className="text-sm font-medium">{label}</h3>
                <Time at={attempt.started_at} exact className="text-xs text-ink-faint tabular" />
              </div>
              <AttemptDetail attempt={attempt} />
            </div>
          </li>
        );
      })}
    </ol>
  );
}

function Details({ application, delivery }: { application: number; delivery: WebhookDelivery }) {
  return (
    <Section title="Details">
      <Facts>
        <Fact name="Event">
          <Link
            to="/app/applications/$application/events/$event"
            params={{ application: String(application), event: String(delivery.event_id) }}
            className={linkClass}
          >
            {delivery.event_id}
          </Link>
        </Fact>
        {delivery.next_at !== null && (
          <Fact name="Next attempt">
            <Time at={delivery.next_at} exact />
          </Fact>
        )}
        <Fact name="Created">
          <Time at={delivery.created_at} exact />
        </Fact>
        <Fact name="Updated">
          <Time at={delivery.updated_at} exact />
        </Fact>
        <Fact name="Attempts">
          {delivery.attempts}
          {delivery.failed_attempts > 0 && ` (${delivery.failed_attempts} failed)`}
        </Fact>
      </Facts>
    </Section>
  );
}

function EventSection({ application, id }: { application: number; id: number }) {
  const { data, isError } = useQuery(eventQuery(application, id));
  return (
    <Section title="Event" actions={data && <EventBadge type={data.type} />}>
      {isError ? (
        <p className="text-sm text-ink-faint">The event has been deleted.</p>
      ) : data ? (
        <Json value={data} />
      ) : (
        <Skeleton className="h-24 w-full" />
      )}
    </Section>
  );
}
