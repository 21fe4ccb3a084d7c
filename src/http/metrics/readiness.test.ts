import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MessageChannel } from 'node:worker_threads';

import { TestClock } from '../../../test/support/clock.ts';
import { StoreUnavailable } from '../../store/faults.ts';
import { Readiness } from './readiness.ts';

const never = () => new Promise<void>(() => {});

it('the readiness check is ready while the store answers and pings it once for concurrent requests', async () => {
  const answer = Promise.withResolvers<void>();
  let pings = 0;
  const readiness = new Readiness(() => {
    pings++;
    return answer.promise;
  }, new TestClock());
  const all = Array.from({ length: 10 }, () => readiness.check());
  answer.resolve();
  await Promise.all(all);
  assert.equal(pings, 1);
  await readiness.check();
  assert.equal(pings, 2);
});

it('the readiness check is not ready as soon as the store reports an outage, and ready when it is back', async () => {
  let isAway = true;
  const readiness = new Readiness(
    () => (isAway ? Promise.reject(new StoreUnavailable('away')) : Promise.resolve()),
    new TestClock(),
  );
  await assert.rejects(readiness.check(), /away/);
  isAway = false;
  await readiness.check();
});

it('the readiness check answers when the store does not: ready while it has answered recently, and then not ready', async () => {
  const clock = new TestClock();
  const readiness = new Readiness(never, clock);
  await readiness.check();
  clock.advance(5_000);
  await assert.rejects(readiness.check(), Error);
});

it('the readiness check is not ready if the store reported an outage and then does not answer', async () => {
  let ping: () => Promise<void> = () => Promise.reject(new StoreUnavailable('away'));
  const readiness = new Readiness(() => ping(), new TestClock());
  await assert.rejects(readiness.check(), StoreUnavailable);
  ping = never;
  await assert.rejects(readiness.check(), StoreUnavailable);
});

it('the readiness check reads an answer that arrived while the process was held up', async () => {
  const clock = new TestClock();
  const { port1, port2 } = new MessageChannel();
  const ping = () => new Promise<void>((resolve) => port1.once('message', () => resolve()));
  const readiness = new Readiness(ping, clock);
  clock.advance(5_000);
  // Timers fire before anything else after this.
  await new Promise(setImmediate);
  const ready = readiness.check();
  port2.postMessage('answer');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_100);
  await ready;
  port1.close();
});

it('the readiness check knows from its own polling when the store last answered', async () => {
  const clock = new TestClock();
  let ping = () => Promise.resolve();
  const readiness = new Readiness(() => ping(), clock);
  readiness.start();
  for (let second = 0; second < 60; second++) {
    clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  ping = never;
  await readiness.check();
  readiness.stop();
});

it('the readiness check is not ready once it stops', async () => {
  const readiness = new Readiness(() => Promise.resolve(), new TestClock());
  readiness.stop();
  await assert.rejects(readiness.check(), /stopping/);
});
