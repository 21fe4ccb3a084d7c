import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';

import { Button } from './button.tsx';

/** At the end of a list that has more: fetches the next page of it. */
export function More({ query }: { query: UseInfiniteQueryResult<InfiniteData<unknown>> }) {
  if (!query.hasNextPage) return null;
  return (
    <div className="border-t border-line p-2 text-center">
      <Button
        look="quiet"
        size="sm"
        busy={query.isFetchingNextPage}
        onClick={() => void query.fetchNextPage()}
      >
        Show more
      </Button>
    </div>
  );
}
