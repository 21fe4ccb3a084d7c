import { QueryClient } from '@tanstack/react-query';

import { ApiProblem, SessionEnded, Unreachable } from './problem.ts';

const MAX_RETRIES = 2;

/** Whether a retry may succeed. */
function isRetryable(error: unknown): boolean {
  if (error instanceof SessionEnded) return false;
  if (error instanceof ApiProblem) return error.status === 429 || error.status >= 502;
  return error instanceof Unreachable;
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      gcTime: 5 * 60_000,
      retry: (count, error) => count < MAX_RETRIES && isRetryable(error),
      retryDelay: (count, error) =>
        error instanceof ApiProblem && error.retryAfter !== undefined
          ? Math.min(error.retryAfter * 1000, 10_000)
          : 500 * 2 ** count,
    },
    mutations: { retry: false },
  },
});
