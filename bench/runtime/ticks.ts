import { setTimeout as pause } from 'node:timers/promises';

import { keepTicks } from '../../src/lib/runtime/next-tick.ts';

/* Prints the CPU time of `process.nextTick` in nanoseconds, after garbage collections; with `keepTicks` if an argument says so. */

const TICKS = 1_000_000;

if (process.argv[2] === 'kept') keepTicks();
for (let i = 0; i < 12; i++) {
  await tick(TICKS / 10);
  globalThis.gc?.();
  await pause(5);
}
const before = process.threadCpuUsage().user;
await tick(TICKS);
const microseconds = process.threadCpuUsage().user - before;
process.stdout.write(String((microseconds * 1000) / TICKS));

function tick(count: number): Promise<void> {
  return new Promise((resolve) => {
    let done = 0;
    const next = () => (++done < count ? process.nextTick(next) : resolve());
    next();
  });
}
