import assert from 'node:assert/strict';
import { it } from 'node:test';

import { JobRunner } from '../../src/deliver/job-runner.ts';
import { createLog } from '../../src/lib/telemetry/log.ts';
import { TestClock } from '../support/clock.ts';

it('a job that is created while a round runs does not wait for the next poll', async () => {
  const clock = new TestClock();
  const jobs = [{ applicationId: 1, id: 1 }];
  const done: number[] = [];
  const runner = new JobRunner({
    clock,
    log: await createLog({ level: 'silent', pretty: false }),
    node: 'node',
    onBatch: () => {},
    queue: {
      claim: async () => jobs.splice(0),
      async runBatch({ id }) {
        done.push(id);
        if (id === 1) {
          jobs.push({ applicationId: 1, id: 2 });
          runner.start();
        }
        return { hasMore: false };
      },
    },
  });
  runner.start();
  for (let round = 0; round < 2; round++) {
    clock.advance(100);
    await new Promise(setImmediate);
  }
  assert.deepEqual(done, [1, 2]);
  await runner.stop();
});
