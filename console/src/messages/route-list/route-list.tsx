import { CircleDashed, CircleSlash, SkipForward } from 'lucide-react';

import { sentence } from '../../api/problem.ts';
import type { MessageDetail } from '../../api/types.ts';
import { IntegrationName } from '../../integrations/integration-name.tsx';
import { Badge, type BadgeStyle } from '../../ui/badge.tsx';
import { parseTime } from '../../ui/parse-time.ts';
import { Time, formatDuration } from '../../ui/time.tsx';
import { canResend } from '../queries.ts';
import { STATES } from '../state.tsx';
import { ResendFrom } from './resend-from.tsx';

type Route = NonNullable<MessageDetail['routes']>[number];

/** States that only routes have. */
const OWN_STATES: Record<'pending' | 'skipped' | 'unused', BadgeStyle> = {
  pending: { tone: 'neutral', icon: CircleDashed, label: 'Not started' },
  skipped: { tone: 'warn', icon: SkipForward, label: 'Skipped' },
  unused: { tone: 'neutral', icon: CircleSlash, label: 'Not needed' },
};

const styleOf = (state: string): BadgeStyle => {
  const styles: Record<string, BadgeStyle | undefined> = { ...STATES, ...OWN_STATES };
  return styles[state] ?? OWN_STATES.pending;
};

/** A route that was sent is not repeated. */
const SENT: ReadonlySet<string> = new Set(['sent', 'delivered', 'read']);

interface RouteListProps {
  application: number;
  message: MessageDetail;
}

/** The routes of a message: what was tried, which report was awaited, and why the next one began. */
export function RouteList({ application, message }: RouteListProps) {
  const { id, routes = [] } = message;
  return (
    <ol className="grid gap-3" data-testid="routes">
      {routes.map((route, number) => (
        <li
          // The order of routes never changes.
          // oxlint-disable-next-line react/no-array-index-key
          key={number}
          data-testid={`route-${number}`}
          data-state={route.state}
          aria-current={number === message.route ? 'step' : undefined}
          className="rounded-md border border-line px-3 py-2 aria-[current=step]:border-line-strong"
        >
          <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
            <span className="flex min-w-0 items-center gap-2 text-sm font-medium">
              <span className="text-ink-faint tabular">{number + 1}</span>
              <IntegrationName
                application={application}
                id={route.integration_id}
                sandbox={message.sandbox === true}
              />
              {route.via.startsWith('pool:') && <Badge>{route.via}</Badge>}
            </span>
            <RouteBadge state={route.state} />
          </div>
          <RouteText route={route} isActive={number === message.route} />
          {canResend(message.state) && !SENT.has(route.state) && (
            <ResendFrom
              application={application}
              message={id}
              route={number}
              maybeSent={route.maybe_sent || route.state === 'uncertain'}
            />
          )}
        </li>
      ))}
    </ol>
  );
}

function RouteBadge({ state }: { state: string }) {
  const { tone, icon, label } = styleOf(state);
  return (
    <Badge tone={tone} state={state} icon={icon}>
      {label}
    </Badge>
  );
}

function RouteText({ route, isActive }: { route: Route; isActive: boolean }) {
  const { to, until, started_at: startedAt, deadline, because, maybe_sent: maybeSent } = route;
  const { ended_at: endedAt, parts_sent: parts } = route;
  return (
    <div className="mt-1 grid gap-0.5 text-sm wrap-anywhere text-ink-soft">
      <p>To {to}</p>
      {startedAt !== null && (
        <p data-testid="started">
          Started <Time at={startedAt} exact />
          {endedAt !== null && (
            <>
              , ended <Time at={endedAt} exact />
            </>
          )}
          {parts > 0 && `, ${parts === 1 ? '1 part' : `${parts} parts`} sent`}
        </p>
      )}
      {until !== undefined && startedAt !== null && deadline !== null && (
        <p>
          Must be {until} within {formatDuration(parseTime(deadline) - parseTime(startedAt))}
          {isActive && (
            <>
              , until <Time at={deadline} exact />
            </>
          )}
        </p>
      )}
      {because !== null && (
        <p data-testid="because" data-code={because.code}>
          {because.title}
          {because.detail === null ? '' : `: ${sentence(because.detail)}`}
        </p>
      )}
      {maybeSent && <p>It may have arrived: a response from the channel was lost.</p>}
    </div>
  );
}
