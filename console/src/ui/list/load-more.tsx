import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';

import { Button } from '../form/button.tsx';

/** Button at the end of a list that fetches the next page. */
export function LoadMore({ query }: { query: UseInfiniteQueryResult<InfiniteData<unknown>> }) {
  if (!query.hasNextPage) return null;
  return (
    <div className="border-t border-line p-2 text-center">
      <Button
        data-testid="more"
        look="quiet"
        size="sm"
        busy={query.isFetchingNextPage}
        onClick={() => void query.fetchNextPage()}
      >
        Load more
      </Button>
    </div>
  );
}
