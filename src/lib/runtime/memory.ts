import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const CHECK_INTERVAL_MS = 60_000;
const IDLE_CPU_FRACTION = 0.05;

/**
 * Frees memory once the process becomes idle after work. By default V8 does so after eight idle seconds and discards
 * compiled code too, which makes the next requests slow until everything is compiled again.
 */
export function freeMemoryWhenIdle(): void {
  setFlagsFromString('--no-memory-reducer-favors-memory');
  let wasBusy = false;
  let before = process.cpuUsage();
  setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    const isBusy = (user + system) / 1000 > CHECK_INTERVAL_MS * IDLE_CPU_FRACTION;
    if (wasBusy && !isBusy) freeMemory();
    wasBusy = isBusy;
  }, CHECK_INTERVAL_MS).unref();
}

/*
 * Frees the heap of this thread. After startup it is mostly garbage from loading modules, and V8 keeps it as long as
 * the service is idle. The collection takes about 0.1 s, so call this only when no request waits. `npm run bench --
 * runtime` shows the gain.
 */
export function freeMemory(): void {
  setFlagsFromString('--expose-gc');
  // V8 flags apply to the whole process: another thread may have changed this one back.
  const collect = runInNewContext('globalThis.gc') as ((options: object) => void) | undefined;
  setFlagsFromString('--no-expose-gc');
  collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
