import { Link } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react';
import { useState } from 'react';

import { sentence } from '../api/problem.ts';
import type { CurrentProblem } from '../api/types.ts';
import { ApplicationName } from '../applications/application-name.tsx';
import { IntegrationName } from '../integrations/integration-name.tsx';
import { Button } from '../ui/form/button.tsx';
import { Time } from '../ui/time.tsx';
import { type ProblemGroup, groupProblems } from './problem-groups.ts';

interface ProblemsProps {
  problems: readonly CurrentProblem[];
  /** Whether the problems of several applications are listed. */
  isTeam: boolean;
}

/** More are behind a button, so that the charts stay above the fold. */
const MAX_SHOWN_GROUPS = 3;

/** Current problems by integration, each with the action that fixes it. */
export function Problems({ problems, isTeam }: ProblemsProps) {
  const [showsAll, setShowsAll] = useState(false);
  if (problems.length === 0)
    return (
      <p
        data-testid="no-problems"
        className="flex items-center gap-2 rounded-lg border border-line bg-surface px-4 py-2.5 text-sm"
      >
        <CircleCheck className="size-4 shrink-0 text-ok" aria-hidden />
        No problems
      </p>
    );
  const groups = groupProblems(problems);
  const shown = showsAll ? groups : groups.slice(0, MAX_SHOWN_GROUPS);
  const hidden = groups.length - shown.length;
  return (
    <section
      id="problems"
      aria-label="Problems"
      className="overflow-hidden rounded-lg border border-line bg-surface"
    >
      <ul className="divide-y divide-line">
        {shown.map((group) => (
          <Group key={group.key} group={group} isTeam={isTeam} />
        ))}
      </ul>
      {hidden > 0 && (
        <div className="border-t border-line px-2 py-1">
          <Button
            look="quiet"
            size="sm"
            data-testid="more-problems"
            onClick={() => setShowsAll(true)}
          >
            Show {hidden} more
          </Button>
        </div>
      )}
    </section>
  );
}

type GroupProps = Pick<ProblemsProps, 'isTeam'> & { group: ProblemGroup };

function Group({ group, isTeam }: GroupProps) {
  const { application_id, integration_id, channel, problems } = group;
  const subject = group.isOfWebhook ? 'Webhook' : 'All integrations';
  return (
    <li data-group={group.key} className="grid gap-x-4 px-4 py-2.5 lg:grid-cols-[15rem_1fr]">
      <p className="grid min-w-0 content-start text-sm font-medium wrap-anywhere max-lg:mb-1">
        {integration_id === null ? (
          subject
        ) : (
          <IntegrationName
            application={application_id}
            id={integration_id}
            channel={channel ?? undefined}
          />
        )}
        {isTeam && (
          <span className="truncate font-normal text-ink-faint max-sm:wrap-anywhere max-sm:whitespace-normal">
            <ApplicationName id={application_id} />
          </span>
        )}
      </p>
      <ul className="grid gap-2">
        {problems.map((problem) => (
          <Problem key={problem.kind} problem={problem} />
        ))}
      </ul>
    </li>
  );
}

function Problem({ problem }: { problem: CurrentProblem }) {
  const { kind, severity, what, detail, since, help } = problem;
  const isError = severity === 'error';
  const Icon = isError ? CircleAlert : TriangleAlert;
  return (
    <li data-kind={kind} className="flex flex-wrap items-start gap-x-3 gap-y-1.5 text-sm">
      <Icon
        className={`mt-0.5 size-4 shrink-0 ${isError ? 'text-bad' : 'text-warn'}`}
        aria-label={isError ? 'Error' : 'Warning'}
        role="img"
      />
      <div className="min-w-0 flex-1 basis-56">
        <p className="text-pretty wrap-anywhere">
          <span className="font-medium">{what}</span>
          {since !== null && kind !== 'messages_failed' && (
            <span className="text-ink-faint">
              {' '}
              {kind === 'messages_uncertain' ? 'Oldest:' : 'Started'} <Time at={since} />
            </span>
          )}
        </p>
        <p className="text-pretty wrap-anywhere text-ink-soft">
          {detail !== null && `${sentence(detail)} `}
          {help}
        </p>
      </div>
      <ProblemLink problem={problem} />
    </li>
  );
}

/** Link to the page where the problem can be fixed. */
function ProblemLink({ problem }: { problem: CurrentProblem }) {
  const { kind, integration_id } = problem;
  const params = { application: String(problem.application_id) };
  if (kind.startsWith('webhook_'))
    return (
      <Button asChild size="sm">
        <Link to="/app/applications/$application/settings/webhook" params={params}>
          Open webhook
        </Link>
      </Button>
    );
  if (kind.startsWith('integration_') && integration_id !== null) {
    const isRefused = kind === 'integration_refused' || kind === 'integration_unproven';
    return (
      <Button asChild size="sm">
        <Link
          to="/app/applications/$application/integrations/$integration"
          params={{ ...params, integration: String(integration_id) }}
          {...(kind !== 'integration_limited' && { hash: isRefused ? 'credentials' : 'health' })}
        >
          {isRefused ? 'Update credentials' : 'Open integration'}
        </Link>
      </Button>
    );
  }
  return (
    <Button asChild size="sm">
      <Link
        to="/app/applications/$application/messages"
        params={params}
        search={{
          state: kind === 'messages_uncertain' ? 'uncertain' : 'failed',
          ...(integration_id !== null && { integration: integration_id }),
        }}
      >
        Review messages
      </Link>
    </Button>
  );
}
