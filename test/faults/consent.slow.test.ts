import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { revokeAgainAndAgain } from './scenarios/revoking.ts';

for (const [engine, nodes] of [
  ['sqlite', 1],
  ['postgres', 3],
] as const) {
  describe(`stopping messages while nodes are killed (${engine}, nodes: ${nodes})`, () => {
    it('starts no message after the stop was acknowledged', async () => {
      const options = { engine, nodes, people: 6, messages: 15, progress() {} };
      const { accepted, refused, suppressed, kills } = await revokeAgainAndAgain(options);
      assert.equal(accepted + refused, 6 * 15);
      assert.ok(suppressed > 0, 'some messages waited when the person stopped them');
      assert.ok(kills > 0);
    });
  });
}
