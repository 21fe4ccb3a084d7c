import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';

import { TestClock } from '../../test/support/clock.ts';
import { createLog } from '../lib/telemetry/log.ts';
import type { Id } from '../model/id.ts';
import { Forwarding } from './forwarding.ts';

const [APPLICATION, INTEGRATION] = [3, 5];
const log = await createLog({ level: 'silent', pretty: false });

/** Forwarding over a store whose endpoint queries the test answers. */
function open(behind: () => Id[] = () => []) {
  const queries: PromiseWithResolvers<boolean>[] = [];
  const woken: Id[] = [];
  const clock = new TestClock();
  const forwarding = new Forwarding({
    store: {
      endpoints: {
        listBehind: () => Promise.resolve(behind()),
        async filterWithEndpoint(ids: readonly Id[]) {
          const question = Promise.withResolvers<boolean>();
          queries.push(question);
          return new Set((await question.promise) ? ids : []);
        },
        copyToQueue: () => Promise.resolve(INTEGRATION),
      },
    },
    clock,
    log,
    baseUrl: () => '',
    wake: (id) => woken.push(id),
  });
  const answer = async (hasOne: boolean) => {
    queries.at(-1)?.resolve(hasOne);
    await immediate();
  };
  return { forwarding, queries, woken, clock, answer };
}

it('forwarding queries the endpoint of an application without one once, however often its feed grows', async () => {
  const { forwarding, queries, answer } = open();
  forwarding.changed(APPLICATION);
  forwarding.changed(APPLICATION);
  await answer(false);
  forwarding.changed(APPLICATION);
  await immediate();
  assert.equal(queries.length, 1);
});

it('forwarding queries again once an endpoint is announced, even during a query', async () => {
  const { forwarding, queries, woken, answer } = open();
  forwarding.changed(APPLICATION);
  forwarding.changedFor(APPLICATION);
  await answer(false);
  assert.equal(queries.length, 2);
  await answer(true);
  assert.deepEqual(woken, [INTEGRATION]);
});

it('forwarding finds an endpoint announced to another node', async () => {
  let behind: Id[] = [];
  const { forwarding, queries, clock, answer } = open(() => behind);
  forwarding.start();
  forwarding.changed(APPLICATION);
  await answer(false);
  behind = [APPLICATION];
  clock.advance(1_000);
  await immediate();
  assert.equal(queries.length, 2);
  await answer(true);
  forwarding.changed(APPLICATION);
  assert.equal(queries.length, 3, 'from then on it is queried at once');
  await answer(true);
  await forwarding.stop();
});

it('forwarding queries all applications whose feeds have grown meanwhile together', async () => {
  const { forwarding, queries, answer } = open();
  forwarding.changed(APPLICATION);
  for (let id = 10; id < 110; id++) forwarding.changed(id);
  await answer(false);
  assert.equal(queries.length, 2);
  await answer(false);
  assert.equal(queries.length, 2);
});
