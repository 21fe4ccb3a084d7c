import { it } from 'node:test';

import { cutConnections } from './scenarios/cutting.ts';

it('cutting PostgreSQL connections in mid-statement loses and repeats no message', async () => {
  await cutConnections({ nodes: 2, rounds: 3, messages: 60, progress() {} });
});
