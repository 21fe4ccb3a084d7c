import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ENGINES } from '../support/databases.ts';
import { killWhileTelling } from './telling.ts';

for (const engine of ENGINES) {
  describe(`a service that is killed while it is called and tells (${engine})`, () => {
    it('loses nothing that it acknowledged, and tells everybody the same in the same order', async () => {
      const options = { engine, kills: 2, calls: 160, progress() {} };
      const report = await killWhileTelling(options);
      const { acknowledged, repeated, ...rest } = report;
      assert.ok(acknowledged >= 160);
      // One is under way at a time.
      assert.ok(repeated <= options.kills, JSON.stringify(report));
      assert.deepEqual(rest, { lost: 0, doubled: 0, gaps: 0, isSame: true, kills: 2 });
    });
  });
}
