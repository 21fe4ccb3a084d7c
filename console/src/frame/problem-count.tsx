import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleAlert, TriangleAlert } from 'lucide-react';

import { overviewQuery } from '../overview/queries.ts';
import { Button } from '../ui/form/button.tsx';

/** Slower than on the overview, because every page asks. */
const POLL_INTERVAL_MS = 30_000;
/** The team's overview looks at every application. */
const TEAM_POLL_INTERVAL_MS = 60_000;

/** The current problems of an application, or of the whole team. */
function useProblems(application: number | undefined) {
  const { data } = useQuery({
    ...overviewQuery(application),
    refetchInterval: application === undefined ? TEAM_POLL_INTERVAL_MS : POLL_INTERVAL_MS,
  });
  const problems = data?.problems ?? [];
  const count = problems.length;
  return {
    count,
    label: count === 1 ? '1 problem' : `${count} problems`,
    isError: problems.some(({ severity }) => severity === 'error'),
  };
}

/** The number of current problems, beside a link to the overview of an application or of the team. */
export function ProblemCount({ application }: { application: number | undefined }) {
  const { count, label, isError } = useProblems(application);
  if (count === 0) return null;
  return (
    <span
      data-testid={application === undefined ? 'team-problem-count' : 'problem-count'}
      className={`ml-auto min-w-5 rounded-full px-1.5 text-center text-xs font-semibold tabular ${
        isError ? 'bg-bad-soft text-bad' : 'bg-warn-soft text-warn'
      }`}
    >
      <span aria-hidden>{count}</span>
      <span className="sr-only">, {label}</span>
    </span>
  );
}

/** Link to the current problems, in the header on phones: of the application, or else of the team. */
export function ProblemLink({ application }: { application: number | undefined }) {
  const applicationProblems = useProblems(application);
  const teamProblems = useProblems(undefined);
  const isOfApplication = application !== undefined && applicationProblems.count > 0;
  const { count, label, isError } = isOfApplication ? applicationProblems : teamProblems;
  if (count === 0) return null;
  const Icon = isError ? CircleAlert : TriangleAlert;
  const link = {
    hash: 'problems',
    'aria-label': isOfApplication ? label : `${label} in the team`,
    'data-testid': 'problem-link',
  };
  return (
    <Button
      asChild
      look="quiet"
      size="icon"
      className={isError ? 'text-bad hover:text-bad' : 'text-warn hover:text-warn'}
    >
      {isOfApplication ? (
        <Link
          to="/app/applications/$application/overview"
          params={{ application: String(application) }}
          {...link}
        >
          <Icon />
        </Link>
      ) : (
        <Link to="/app/overview" {...link}>
          <Icon />
        </Link>
      )}
    </Button>
  );
}
