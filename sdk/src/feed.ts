import type { Event } from './api.ts';
import { SwitchboardError } from './errors.ts';
import type { PageOptions } from './list.ts';
import { backoff, isPassing, pause } from './retry.ts';
import type { Transport } from './transport.ts';

/** Which events are wanted, when those that have happened are listed. */
export interface HistoryFilter extends PageOptions {
  /** The id of an event: only those after it, and the oldest first. */
  after?: number;
  /** Only events of these types. */
  types?: readonly Event['type'][];
}

export interface FeedOptions {
  /** Only events of these types. */
  types?: readonly Event['type'][];
  /** The id of the last event that you know; it goes on after that one. Without it, from the first that is kept. */
  after?: number;
  /** How many events are asked for at once: 100 unless told otherwise, 1,000 at the most. */
  limit?: number;
  /** Ends it, without an error. */
  signal?: AbortSignal;
  /** Called when it goes on after something went wrong: the service is away, or asks to wait. */
  onRetry?: (error: SwitchboardError) => void;
}

/** How long the service holds a call until there is an event, in seconds. */
const WAIT = 30;
/** How much longer than that an answer may take, in milliseconds. */
const PATIENCE = 30_000;
/** A service that does not hold the call is not asked more often than this. */
const LEAST = 1_000;

/**
 * The feed of the application by long polling: every event once, in order, and then what happens. It goes on
 * where it was when the service was away, for as long as it takes; what does not pass by itself is thrown.
 */
export async function* readFeed(
  transport: Transport,
  { after = 0, limit = 100, types, signal, onRetry }: FeedOptions,
): AsyncGenerator<Event, void, undefined> {
  let last = after;
  let failures = 0;
  while (!signal?.aborted) {
    const since = Date.now();
    try {
      const { data, next } = await transport.page(
        'GET /1/events',
        { query: { after: last, limit, wait: WAIT, ...(types && { type: types.join(',') }) } },
        { timeout: WAIT * 1000 + PATIENCE, retries: 0, ...(signal && { signal }) },
      );
      failures = 0;
      for (const event of data) {
        if (event.id <= last) continue;
        last = event.id;
        yield event;
      }
      // Further than the last of them, when others were removed.
      const upTo = Number(next?.get('after') ?? last);
      if (upTo > last) last = upTo;
      if (data.length === 0) await pause(LEAST - (Date.now() - since), signal);
    } catch (error) {
      if (signal?.aborted) return;
      if (!(error instanceof SwitchboardError) || !isPassing(error)) throw error;
      onRetry?.(error);
      await rest(error, ++failures, signal);
    }
  }
}

/** Waits before it goes on, for as long as it was asked to; ends at once when the signal says so. */
export async function rest(
  { retryAfter = 0 }: SwitchboardError,
  failures: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const delay = Math.max(backoff(failures, Math.random()), retryAfter * 1000);
  // Whoever waits looks at the signal itself.
  await pause(delay, signal).catch(() => {});
}
