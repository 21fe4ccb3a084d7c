import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes of memory that whatever floods a process may cost: floods have no end, and other tests share the process. */
export const MOST_GROWTH = 128 * 2 ** 20;

/** How many bytes of memory the process had more, at the most, while something was done. */
export async function growthWhile(work: () => Promise<void>): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const before = process.memoryUsage.rss();
  let most = before;
  const look = () => (most = Math.max(most, process.memoryUsage.rss()));
  const timer = setInterval(look, 10);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return look() - before;
}
