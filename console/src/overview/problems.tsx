import { Link } from '@tanstack/react-router';
import { CircleCheck } from 'lucide-react';

import { sentence } from '../api/problem.ts';
import type { CurrentProblem } from '../api/types.ts';
import { IntegrationName } from '../integrations/integration-name.tsx';
import { Button } from '../ui/form/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { Time } from '../ui/time.tsx';

export interface ProblemsProps {
  problems: readonly CurrentProblem[];
  /** Application names; only on the team's overview. */
  names: ReadonlyMap<number, string> | undefined;
}

/** Current problems, each with its remedy. */
export function Problems({ problems, names }: ProblemsProps) {
  if (problems.length === 0)
    return (
      <p
        data-testid="no-problems"
        className="flex items-center gap-2 rounded-lg border border-line bg-surface px-4 py-3 text-sm"
      >
        <CircleCheck className="size-4 shrink-0 text-ok" aria-hidden />
        No problems
      </p>
    );
  return (
    <ul aria-label="Problems" className="grid gap-2">
      {problems.map((problem) => {
        const { kind, application_id, integration_id, severity, what, detail, since, help } =
          problem;
        const name = names?.get(application_id);
        return (
          <li key={`${kind} ${application_id} ${integration_id ?? ''}`} data-kind={kind}>
            <Notice
              tone={severity === 'error' ? 'bad' : 'warn'}
              title={name === undefined ? what : `${name}: ${what}`}
              actions={<ProblemLink problem={problem} />}
            >
              {integration_id !== null && (
                <IntegrationName application={application_id} id={integration_id} />
              )}
              {detail !== null && <p>{sentence(detail)}</p>}
              <p>
                {help}
                {since !== null && (
                  <span className="text-ink-faint">
                    {' '}
                    Since <Time at={since} exact />.
                  </span>
                )}
              </p>
            </Notice>
          </li>
        );
      })}
    </ul>
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
  if (kind.startsWith('integration_') && integration_id !== null)
    return (
      <Button asChild size="sm">
        <Link
          to="/app/applications/$application/integrations/$integration"
          params={{ ...params, integration: String(integration_id) }}
        >
          Open integration
        </Link>
      </Button>
    );
  const state =
    kind === 'messages_failed' ? 'failed' : kind === 'messages_uncertain' ? 'uncertain' : 'queued';
  return (
    <Button asChild size="sm">
      <Link
        to="/app/applications/$application/messages"
        params={params}
        search={{ state, ...(integration_id !== null && { integration: integration_id }) }}
      >
        Show messages
      </Link>
    </Button>
  );
}
