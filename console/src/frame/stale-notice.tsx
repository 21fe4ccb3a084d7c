import { useSyncExternalStore } from 'react';

import { SessionEnded, errorText, isNotFound } from '../api/problem.ts';
import { queryClient } from '../api/query-client.ts';
import { Button } from '../ui/form/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { Time } from '../ui/time.tsx';

/** Whether to show the notice. Pages themselves report that their subject was deleted or the session ended. */
const isReported = (error: unknown) => !(error instanceof SessionEnded) && !isNotFound(error);

/** Visible data that could not be refreshed. */
const findStale = () =>
  queryClient
    .getQueryCache()
    .findAll({ type: 'active' })
    .find(
      ({ state }) => state.data !== undefined && state.error !== null && isReported(state.error),
    );

const subscribe = (listener: () => void) => queryClient.getQueryCache().subscribe(listener);

const retry = () =>
  queryClient.refetchQueries({ predicate: ({ state }) => state.status === 'error' });

/** Tells users that the page is out of date. It floats, so that the page does not move. */
export function StaleNotice() {
  const stale = useSyncExternalStore(subscribe, findStale);
  useSyncExternalStore(subscribe, () => stale?.state);
  if (!stale || stale.state.error === null) return null;
  return (
    <div className="pointer-events-none fixed inset-x-4 bottom-4 z-50 flex justify-center">
      <Notice
        tone="warn"
        role="status"
        testId="stale"
        className="pointer-events-auto w-full max-w-xl animate-rise shadow-raised"
        title={
          <>
            Not up to date. Last update: <Time at={stale.state.dataUpdatedAt} />
          </>
        }
        actions={
          <Button size="sm" onClick={() => void retry()}>
            Retry
          </Button>
        }
      >
        {errorText(stale.state.error)}
      </Notice>
    </div>
  );
}
