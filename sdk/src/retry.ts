import type { SwitchboardError } from './errors.ts';

/* When a call is made again, and how long that waits. */

const FIRST = 500;
const LONGEST = 8_000;
/** Whoever is asked to wait for longer than this is told so instead. */
const LONGEST_ASKED = 60_000;

/** The first wait is half a second, each further one twice as long, up to eight; at random below that. */
export function backoff(failures: number, random: number): number {
  const most = Math.min(LONGEST, FIRST * 2 ** (failures - 1));
  return Math.round(most * (0.5 + random / 2));
}

/**
 * How long to wait before the call is made again, in milliseconds; undefined when it must not be. A call
 * whose answer was lost may have had its effect: only what is safe to repeat is repeated.
 */
export function retryDelay(
  { code, status, retryAfter }: SwitchboardError,
  { isRepeatable, failures, random }: { isRepeatable: boolean; failures: number; random: number },
): number | undefined {
  const own = backoff(failures, random);
  if (code === 'no_answer' || code === 'timeout') return isRepeatable ? own : undefined;
  // The service has refused it, or is still busy with the first of them.
  const isRefused = status === 429 || status === 503 || code === 'idempotency_in_flight';
  if (!isRefused || retryAfter === undefined) return undefined;
  const asked = retryAfter * 1000;
  // Not before it is asked to, and not all at the same moment.
  return asked <= LONGEST_ASKED ? Math.max(own, asked + Math.round(FIRST * random)) : undefined;
}

/** Whether what went wrong passes by itself, so that whoever has to go on may. */
export function isPassing({ code, status }: SwitchboardError): boolean {
  return code === 'no_answer' || code === 'timeout' || status === 429 || status >= 500;
}

/** Waits; rejects with the reason of the signal when that says so first. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener('abort', end);
  });
  signal?.throwIfAborted();
}
