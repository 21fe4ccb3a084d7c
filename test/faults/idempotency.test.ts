import { describe, it } from 'node:test';

import { repeatRequests } from './repeating.ts';

for (const [engine, nodes] of [
  ['sqlite', 1],
  ['postgres', 3],
] as const) {
  describe(`fifty requests under one key while a node dies (${engine}, nodes: ${nodes})`, () => {
    it('make one message, and all are told of it', async () => {
      await repeatRequests({ engine, nodes, rounds: 2, progress() {} });
    });
  });
}
