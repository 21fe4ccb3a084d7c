import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { killAgainAndAgain } from './killing.ts';

for (const [engine, nodes] of [
  ['sqlite', 1],
  ['postgres', 3],
] as const) {
  describe(`a service that is killed under load (${engine}, nodes: ${nodes})`, () => {
    it('loses nothing, and repeats at the most what was being sent', async () => {
      const options = { engine, nodes, kills: nodes === 1 ? 3 : 2, messages: 200, progress() {} };
      assert.ok((await killAgainAndAgain(options)).accepted >= 200);
    });
  });
}
