import { it } from 'node:test';

import { repeatRequests } from './repeating.ts';

it('fifty requests under one key while a node dies make one message, and all are told of it', async () => {
  await repeatRequests({ engine: 'postgres', nodes: 2, rounds: 1, progress() {} });
});
