import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { killAgainAndAgain } from './scenarios/killing.ts';

for (const [engine, nodes] of [
  ['sqlite', 1],
  ['postgres', 3],
] as const) {
  describe(`killing nodes under load (${engine}, nodes: ${nodes})`, () => {
    it('loses no message, and repeats at most those in flight', async () => {
      const options = { engine, nodes, kills: nodes === 1 ? 3 : 2, messages: 200, progress() {} };
      assert.ok((await killAgainAndAgain(options)).accepted >= 200);
    });
  });
}
