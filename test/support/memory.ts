import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Memory growth that a flood may cause. Generous, because other tests share the process, but floods are unlimited. */
export const MAX_GROWTH_BYTES = 128 * 2 ** 20;

/**
 * The maximum growth of resident memory during some work, in bytes. `collectEveryMs` is for work that also makes much
 * garbage: how much of it waits for a collection depends on the speed of the machine.
 */
export async function growthWhile(
  work: () => Promise<void>,
  { collectEveryMs }: { collectEveryMs?: number } = {},
): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const before = process.memoryUsage.rss();
  let most = before;
  const look = () => (most = Math.max(most, process.memoryUsage.rss()));
  const timer = setInterval(look, 10);
  const collecting =
    collectEveryMs === undefined ? undefined : setInterval(collect, collectEveryMs);
  try {
    await work();
  } finally {
    clearInterval(timer);
    clearInterval(collecting);
  }
  return look() - before;
}
