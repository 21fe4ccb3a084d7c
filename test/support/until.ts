import assert from 'node:assert/strict';

/** As long as it takes on a machine that is busy with much else. */
export const PATIENCE = 60_000;

/** Between two looks, in milliseconds. */
const SHORTEST_PAUSE = 5;
const LONGEST_PAUSE = 50;

/** Waits until something is there, or is so; answers it. What takes long is looked at less often, as a look costs too. */
export async function until<Found>(
  what: string,
  find: () => Found | undefined | false | Promise<Found | undefined | false>,
  patience = PATIENCE,
  longestPause = LONGEST_PAUSE,
): Promise<Found> {
  const start = performance.now();
  for (;;) {
    const found = await find();
    if (found !== undefined && found !== false) return found;
    const waited = performance.now() - start;
    assert.ok(waited < patience, `waited in vain: ${what}`);
    const pause = Math.max(SHORTEST_PAUSE, Math.min(waited / 5, longestPause));
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
