import type { Event } from './api.ts';
import { SwitchboardError } from './errors.ts';
import type { PageOptions } from './list.ts';
import { backoff, isTransient, pause } from './retry.ts';
import type { Transport } from './transport.ts';

/** Filters past events. */
export interface HistoryFilter extends PageOptions {
  /** Only events after this one, oldest first. */
  after?: number;
  /** Only events of these types. */
  types?: readonly Event['type'][];
}

export interface FeedOptions {
  /** Only events of these types. */
  types?: readonly Event['type'][];
  /** The id of the last event you processed. Default: from the oldest stored event. */
  after?: number;
  /** Events per request, at most 1,000. Default: 100. */
  limit?: number;
  /** Ends the iteration without an error. */
  signal?: AbortSignal;
  /** Called before a retry, when the service is unreachable or asks to wait. */
  onRetry?: (error: SwitchboardError) => void;
}

/** How long the service holds a request while there is no event. */
const WAIT_SECONDS = 30;
/** The time allowed for a response beyond WAIT_SECONDS. */
const EXTRA_TIMEOUT_MS = 30_000;
/** The minimum time between requests, for a service that does not hold them. */
const MIN_INTERVAL_MS = 1_000;

/**
 * Reads the application's feed by long polling: every event once and in order, then new ones. Transient errors are
 * retried forever, continuing after the last event; other errors are thrown.
 */
export async function* readFeed(
  transport: Transport,
  { after = 0, limit = 100, types, signal, onRetry }: FeedOptions,
): AsyncGenerator<Event, void, undefined> {
  let last = after;
  let failures = 0;
  while (!signal?.aborted) {
    const since = performance.now();
    try {
      const { data, next } = await transport.page(
        'GET /1/events',
        {
          query: {
            after: last,
            limit,
            wait: WAIT_SECONDS,
            ...(types && { type: types.join(',') }),
          },
        },
        { timeout: WAIT_SECONDS * 1000 + EXTRA_TIMEOUT_MS, retries: 0, ...(signal && { signal }) },
      );
      failures = 0;
      for (const event of data) {
        if (event.id <= last) continue;
        last = event.id;
        yield event;
      }
      // The cursor may be past the last event, if later ones were deleted or filtered out.
      const upTo = Number(next?.get('after') ?? last);
      if (upTo > last) last = upTo;
      const left = MIN_INTERVAL_MS - (performance.now() - since);
      if (data.length === 0) await pause(Math.max(left, 0), signal);
    } catch (error) {
      if (signal?.aborted) return;
      if (!(error instanceof SwitchboardError) || !isTransient(error)) throw error;
      onRetry?.(error);
      await waitBeforeRetry(error, ++failures, signal);
    }
  }
}

/** Waits before a retry, at least as long as the service asked for. Ends at once if the signal aborts. */
export async function waitBeforeRetry(
  { retryAfter = 0 }: SwitchboardError,
  failures: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const delay = Math.max(backoff(failures, Math.random()), retryAfter * 1000);
  // The caller checks the signal itself.
  await pause(delay, signal).catch(() => {});
}
