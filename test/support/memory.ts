import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Memory growth that a flood may cause. Generous, because other tests share the process, but floods are unlimited. */
export const MAX_GROWTH_BYTES = 128 * 2 ** 20;

/**
 * The maximum growth of resident memory during some work, in bytes. Work that also makes much garbage calls `collect` now
 * and then: how much waits for a collection otherwise depends on the speed of the machine.
 */
export async function growthWhile(work: (collect: () => void) => Promise<void>): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const before = process.memoryUsage.rss();
  let most = before;
  const look = () => (most = Math.max(most, process.memoryUsage.rss()));
  const timer = setInterval(look, 10);
  try {
    await work(collect);
  } finally {
    clearInterval(timer);
  }
  return look() - before;
}
