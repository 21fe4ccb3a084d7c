import { it } from 'node:test';

import { stopAgainAndAgain } from './stopping.ts';

it('a service that is asked to stop under load ends with 0, and loses and repeats nothing', async () => {
  await stopAgainAndAgain({ engine: 'postgres', stops: 1, messages: 60, progress() {} });
});
