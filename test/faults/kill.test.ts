import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ENGINES } from '../support/databases.ts';
import { killAgainAndAgain } from './killing.ts';

for (const engine of ENGINES) {
  describe(`a service that is killed under load (${engine})`, () => {
    it('loses nothing, and repeats at the most what was being sent', async () => {
      const options = { engine, kills: 5, messages: 600, progress() {} };
      const report = await killAgainAndAgain(options);
      assert.ok(report.accepted >= 600);
      assert.equal(report.lost, 0);
      assert.equal(report.heldDuplicates, 0, 'what is to be held is not repeated');
      assert.ok(report.duplicates <= report.inFlight, JSON.stringify(report));
    });
  });
}
