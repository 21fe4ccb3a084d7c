import type { Clock } from './clock.ts';

/**
 * Runs `work` now, and again `wait` milliseconds after each run, until `end` is called. Ignores errors; the next run
 * retries.
 */
export function repeat(work: () => Promise<void>, wait: number, clock: Clock): { end(): void } {
  let cancel: (() => void) | undefined;
  let hasEnded = false;
  const run = async () => {
    await work().catch(() => {});
    if (!hasEnded) cancel = clock.after(wait, () => void run());
  };
  void run();
  return {
    end() {
      hasEnded = true;
      cancel?.();
    },
  };
}
