import type { Clock } from './clock.ts';

/**
 * Does it now, and again so many milliseconds after it was done, until it is told to end. What went wrong is
 * for the next time.
 */
export function againAndAgain(
  work: () => Promise<void>,
  wait: number,
  clock: Clock,
): { end(): void } {
  let callOff: (() => void) | undefined;
  let hasEnded = false;
  const run = async () => {
    await work().catch(() => {});
    if (!hasEnded) callOff = clock.after(wait, () => void run());
  };
  void run();
  return {
    end() {
      hasEnded = true;
      callOff?.();
    },
  };
}
