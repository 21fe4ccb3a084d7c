import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';

import type { Overview, Statistics } from '../api/types.ts';
import { Card } from '../ui/card.tsx';
import { Skeleton } from '../ui/list/skeleton.tsx';
import { Time } from '../ui/time.tsx';
import { changeText } from './change.ts';

type Total = Statistics['total'];

interface FiguresProps {
  overview: Overview | undefined;
  total: Total | undefined;
  /** The period before. */
  before: Total | undefined;
  /** Names the period before, such as "previous 24 hours". */
  beforeLabel: string;
}

const COUNTS = [
  ['accepted', 'Accepted'],
  ['sent', 'Sent'],
  ['delivered', 'Delivered'],
  ['failed', 'Failed'],
  ['received', 'Received'],
] as const;

export function Figures({ overview, total, before, beforeLabel }: FiguresProps) {
  const oldest = overview?.queue.oldest_at ?? null;
  return (
    <dl className="grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-6">
      {COUNTS.map(([key, name]) => (
        <Figure
          key={key}
          name={name}
          value={total?.[key]}
          isBad={key === 'failed' && (total?.failed ?? 0) > 0}
        >
          {total && before && (
            <Change now={total[key]} before={before[key]} beforeLabel={beforeLabel} />
          )}
        </Figure>
      ))}
      <Figure name="Waiting now" value={overview?.queue.waiting}>
        {oldest === null ? (
          overview && 'no queue'
        ) : (
          <>
            oldest <Time at={oldest} />
          </>
        )}
      </Figure>
    </dl>
  );
}

interface ChangeProps {
  now: number;
  before: number;
  beforeLabel: string;
}

function Change({ now, before, beforeLabel }: ChangeProps) {
  const Icon = now > before ? ArrowUp : ArrowDown;
  return (
    <span
      data-testid="change"
      title={`${before.toLocaleString()} in the ${beforeLabel}`}
      className="inline-flex items-center gap-0.5"
    >
      {now !== before && <Icon className="size-3" aria-hidden />}
      {changeText(now, before)}
      <span className="sr-only"> compared with the {beforeLabel}</span>
    </span>
  );
}

interface FigureProps {
  name: string;
  value: number | undefined;
  isBad?: boolean;
  children?: ReactNode;
}

function Figure({ name, value, isBad, children }: FigureProps) {
  return (
    <Card className="px-4 py-2.5">
      <dt className="text-sm text-ink-faint">{name}</dt>
      <dd className="min-h-12">
        <span
          data-testid="figure"
          className={`text-2xl font-semibold tabular ${isBad ? 'text-bad' : ''}`}
        >
          {value === undefined ? <Skeleton className="mt-2 w-16" /> : value.toLocaleString()}
        </span>
        <span className="block text-xs text-ink-faint tabular">{children}</span>
      </dd>
    </Card>
  );
}
