import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ENGINES } from '../support/store/databases.ts';
import { killDuringWebhooks } from './scenarios/webhook-flood.ts';

for (const engine of ENGINES) {
  describe(`killing a service while it receives webhooks and delivers events (${engine})`, () => {
    it('loses no acknowledged message, and delivers the same events in the same order everywhere', async () => {
      const options = { engine, kills: 2, calls: 160, progress() {} };
      const report = await killDuringWebhooks(options);
      const { acknowledged, repeated, ...rest } = report;
      assert.ok(acknowledged >= 160);
      // One event is in flight at a time.
      assert.ok(repeated <= options.kills, JSON.stringify(report));
      assert.deepEqual(rest, { lost: 0, doubled: 0, gaps: 0, isSame: true, kills: 2 });
    });
  });
}
