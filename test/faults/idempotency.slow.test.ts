import { it } from 'node:test';

import { repeatRequests } from './scenarios/repeating.ts';

it('fifty requests with one idempotency key while a node dies create one message, and all get its id', async () => {
  await repeatRequests({ engine: 'postgres', nodes: 2, rounds: 1, progress() {} });
});
