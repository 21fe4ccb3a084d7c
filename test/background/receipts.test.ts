import assert from 'node:assert/strict';
import { it } from 'node:test';

import { Receipts } from '../../src/accept/receipts.ts';
import { createLog } from '../../src/lib/telemetry/log.ts';
import { TestClock } from '../support/clock.ts';

it('stopping waits for reports that arrived during the last run', async () => {
  let running = 0;
  let runs = 0;
  const store = {
    receipts: {
      async apply() {
        running++;
        await new Promise(setImmediate);
        running--;
        runs++;
        return { seen: 0, moved: [] };
      },
    },
  };
  const log = await createLog({ level: 'silent', pretty: false });
  const receipts = new Receipts(
    store,
    new TestClock(),
    log,
    () => {},
    () => {},
  );
  receipts.wake();
  receipts.wake();
  await receipts.stop();
  assert.deepEqual({ running, runs }, { running: 0, runs: 2 });
});
