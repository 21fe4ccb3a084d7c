import { it } from 'node:test';

import { promoteStandby } from './promoting.ts';

it('nodes go on when PostgreSQL is gone and its standby is promoted: nothing is lost or sent twice', async () => {
  await promoteStandby({ nodes: 2, messages: 100, progress() {} });
});
