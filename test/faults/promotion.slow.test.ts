import { it } from 'node:test';

import { promoteStandby } from './scenarios/promoting.ts';

it('nodes survive the promotion of a PostgreSQL standby without losing or repeating a message', async () => {
  await promoteStandby({ nodes: 2, messages: 100, progress() {} });
});
