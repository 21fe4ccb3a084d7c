import assert from 'node:assert/strict';

/** As long as it takes on a machine that is busy with much else. */
export const PATIENCE = 60_000;
const PAUSE = 5;

/** Waits until something is there, or is so; answers it. */
export async function until<Found>(
  what: string,
  find: () => Found | undefined | false | Promise<Found | undefined | false>,
  patience = PATIENCE,
): Promise<Found> {
  const end = performance.now() + patience;
  for (;;) {
    const found = await find();
    if (found !== undefined && found !== false) return found;
    assert.ok(performance.now() < end, `waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}
