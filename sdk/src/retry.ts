import type { SwitchboardError } from './errors.ts';

/* When to retry a call, and after how long. */

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;
/** If the service asks to wait longer than this, the call fails instead. */
const MAX_RETRY_AFTER_MS = 60_000;
/** A timer with a longer delay, such as Infinity, ends at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Exponential backoff from 0.5 to 8 seconds, with a random factor between 0.5 and 1. */
export function backoff(failures: number, random: number): number {
  const maxDelay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1));
  return Math.round(maxDelay * (0.5 + random / 2));
}

/**
 * The delay before a retry, in milliseconds; undefined if the call must not be retried. A call whose response was lost
 * may have taken effect, so it is retried only if it is safe to repeat.
 */
export function retryDelay(
  { code, status, retryAfter }: SwitchboardError,
  { isRepeatable, failures, random }: { isRepeatable: boolean; failures: number; random: number },
): number | undefined {
  const backoffMs = backoff(failures, random);
  if (code === 'no_answer' || code === 'timeout') return isRepeatable ? backoffMs : undefined;
  // The service refused the call, or is still processing the first one with this idempotency key.
  const isRefused = status === 429 || status === 503 || code === 'idempotency_in_flight';
  if (!isRefused || retryAfter === undefined) return undefined;
  const requestedMs = retryAfter * 1000;
  // Waits as long as the service asked, plus jitter so that clients do not all retry at the same moment.
  return requestedMs <= MAX_RETRY_AFTER_MS
    ? Math.max(backoffMs, requestedMs + Math.round(FIRST_DELAY_MS * random))
    : undefined;
}

/** Whether the error is transient, so that a feed may continue after it. */
export function isTransient({ code, status }: SwitchboardError): boolean {
  return code === 'no_answer' || code === 'timeout' || status === 429 || status >= 500;
}

/** Waits; rejects with the signal's reason if it aborts first. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(milliseconds, MAX_TIMER_MS));
    signal?.addEventListener('abort', end);
  });
  signal?.throwIfAborted();
}
