import assert from 'node:assert/strict';
import { it } from 'node:test';

import { Flushing } from './flushing.ts';

/** Flushes that the test completes. */
function flushes() {
  const started: PromiseWithResolvers<void>[] = [];
  const released: { answers: string[]; fault: unknown }[] = [];
  const flushing = new Flushing<string>(
    () => {
      const flush = Promise.withResolvers<void>();
      started.push(flush);
      return flush.promise;
    },
    (answers, fault) => released.push({ answers, fault }),
  );
  return { started, released, flushing };
}

it('holds a response until a flush that started after it has ended', async () => {
  const { started, released, flushing } = flushes();
  flushing.hold('a');
  flushing.hold('b');
  flushing.hold('c');
  assert.equal(started.length, 1);
  assert.deepEqual(released, []);

  started[0]?.resolve();
  await started[0]?.promise;
  await Promise.resolve();
  assert.deepEqual(released, [{ answers: ['a'], fault: undefined }]);
  assert.equal(started.length, 2, 'responses that arrived meanwhile share the next flush');

  const { running } = flushing;
  started[1]?.resolve();
  await running;
  assert.deepEqual(released[1], { answers: ['b', 'c'], fault: undefined });
  assert.equal(flushing.running, undefined);
});

it('reports a failed flush and flushes again for later responses', async () => {
  const { started, released, flushing } = flushes();
  const fault = new Error('input/output error');
  flushing.hold('a');
  const failed = flushing.running;
  started[0]?.reject(fault);
  await failed;
  assert.deepEqual(released, [{ answers: ['a'], fault }]);

  flushing.hold('b');
  const mended = flushing.running;
  started[1]?.resolve();
  await mended;
  assert.deepEqual(released[1], { answers: ['b'], fault: undefined });
});

it('waits until no response is held, up to a limit', async () => {
  const { started, flushing } = flushes();
  await flushing.waitIdle(Infinity);
  flushing.hold('a');
  await flushing.waitIdle(1);
  assert.ok(flushing.running, 'a slow flush continues');

  const resting = flushing.waitIdle(2 ** 31 - 1);
  started[0]?.resolve();
  await resting;
  assert.equal(flushing.running, undefined);
});
