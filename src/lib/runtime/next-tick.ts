import { executionAsyncResource } from 'node:async_hooks';

let kept: object | undefined;

/**
 * Keeps one object created by `process.nextTick` alive. V8 discards an object shape if no object has it during a full
 * garbage collection, and tick objects hardly ever live that long. After relearning the shape a few times, V8 gives
 * up optimizing it. From then on every tick takes several times as long, which is a tenth of the cost of accepting
 * a message: `npm run bench -- runtime`.
 */
export function keepTicks(): void {
  process.nextTick(() => {
    kept ??= executionAsyncResource();
  });
}
