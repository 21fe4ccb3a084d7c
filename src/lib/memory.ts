import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How often it is looked whether the process rests, and how much of that time it then works at the most. */
const LOOKED_EVERY = 60_000;
const AT_REST = 0.05;

/**
 * Gives back memory once the process has come to rest after work, and not before. Left to itself, V8 does so
 * after eight seconds of rest, and throws away compiled code with it: whatever comes next is slow for as long
 * as everything is compiled again.
 */
export function giveBackMemoryAtRest(): void {
  setFlagsFromString('--no-memory-reducer-favors-memory');
  let hasWorked = false;
  let before = process.cpuUsage();
  setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    const works = (user + system) / 1000 > LOOKED_EVERY * AT_REST;
    if (hasWorked && !works) giveBackMemory();
    hasWorked = works;
  }, LOOKED_EVERY).unref();
}

/*
 * Starting leaves a heap that is mostly garbage of loading modules, and V8 keeps it for a service that has
 * nothing to do. This takes a tenth of a second, so it is for a moment when nobody waits.
 */
export function giveBackMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
