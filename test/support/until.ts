import assert from 'node:assert/strict';

/** Long enough for a busy machine. */
export const WAIT_TIMEOUT_MS = 120_000;

const MIN_PAUSE_MS = 5;
const MAX_PAUSE_MS = 50;

/** Polls until `find` returns a value other than undefined and false. The longer it takes, the less often it polls. */
export async function until<Found>(
  what: string,
  find: () => Found | undefined | false | Promise<Found | undefined | false>,
  timeoutMs = WAIT_TIMEOUT_MS,
  maxPauseMs = MAX_PAUSE_MS,
): Promise<Found> {
  const start = performance.now();
  for (;;) {
    const found = await find();
    if (found !== undefined && found !== false) return found;
    const waited = performance.now() - start;
    assert.ok(waited < timeoutMs, `timed out waiting for: ${what}`);
    const pause = Math.max(MIN_PAUSE_MS, Math.min(waited / 5, maxPauseMs));
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
