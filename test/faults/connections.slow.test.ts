import { it } from 'node:test';

import { cutConnections } from './cutting.ts';

it('connections that are cut in mid-statement lose nothing and repeat nothing', async () => {
  await cutConnections({ nodes: 2, rounds: 3, messages: 60, progress() {} });
});
