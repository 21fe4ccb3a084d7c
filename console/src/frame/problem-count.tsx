import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleAlert, TriangleAlert } from 'lucide-react';

import { overviewQuery } from '../overview/queries.ts';
import { Button } from '../ui/form/button.tsx';

/** Slower than on the overview, because every page asks. */
const POLL_INTERVAL_MS = 30_000;

function useProblems(application: number) {
  const { data } = useQuery({ ...overviewQuery(application), refetchInterval: POLL_INTERVAL_MS });
  const problems = data?.problems ?? [];
  const count = problems.length;
  return {
    count,
    label: count === 1 ? '1 problem' : `${count} problems`,
    isError: problems.some(({ severity }) => severity === 'error'),
  };
}

/** The number of current problems, beside a link to the overview. */
export function ProblemCount({ application }: { application: number }) {
  const { count, label, isError } = useProblems(application);
  if (count === 0) return null;
  return (
    <span
      data-testid="problem-count"
      className={`ml-auto min-w-5 rounded-full px-1.5 text-center text-xs font-semibold tabular ${
        isError ? 'bg-bad-soft text-bad' : 'bg-warn-soft text-warn'
      }`}
    >
      <span aria-hidden>{count}</span>
      <span className="sr-only">, {label}</span>
    </span>
  );
}

/** Link to the current problems, in the header on phones. */
export function ProblemLink({ application }: { application: number }) {
  const { count, label, isError } = useProblems(application);
  if (count === 0) return null;
  const Icon = isError ? CircleAlert : TriangleAlert;
  return (
    <Button asChild look="quiet" size="icon">
      <Link
        to="/app/applications/$application/overview"
        params={{ application: String(application) }}
        hash="problems"
        aria-label={label}
        data-testid="problem-link"
        className={isError ? 'text-bad' : 'text-warn'}
      >
        <Icon />
      </Link>
    </Button>
  );
}
