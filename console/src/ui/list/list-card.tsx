import type { ReactNode } from 'react';

import { Card } from '../card.tsx';
import { cn } from '../cn.ts';
import { ProblemNotice } from '../notice.tsx';
import { SkeletonRows } from './skeleton.tsx';

interface ListCardProps {
  /** The query that loads the list. */
  query: { isPending: boolean; isLoadingError: boolean; error: unknown; refetch(): unknown };
  /** How many placeholder rows are shown until the list is loaded. */
  skeletonRows?: number;
  className?: string;
  /** The rows, or what an empty list shows. */
  children: ReactNode;
}

/** A list on a page, its placeholder while it loads, or the error. */
export function ListCard({ query, skeletonRows = 5, className, children }: ListCardProps) {
  if (query.isLoadingError)
    return <ProblemNotice error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <Card className={cn('overflow-hidden', className)}>
      {query.isPending ? <SkeletonRows count={skeletonRows} /> : children}
    </Card>
  );
}
