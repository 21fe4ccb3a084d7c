import { it } from 'node:test';

import { stopAgainAndAgain } from './scenarios/stopping.ts';

it('SIGTERM under load ends the service with exit code 0, and loses or repeats no message', async () => {
  await stopAgainAndAgain({ engine: 'postgres', stops: 1, messages: 60, progress() {} });
});
