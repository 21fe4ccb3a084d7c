import { describe, it } from 'node:test';

import { ENGINES } from '../support/databases.ts';
import { stopAgainAndAgain } from './stopping.ts';

for (const engine of ENGINES) {
  describe(`a service that is asked to stop under load (${engine})`, () => {
    it('ends in time with 0, and neither loses nor repeats anything', async () => {
      await stopAgainAndAgain({ engine, stops: 2, messages: 100, progress() {} });
    });
  });
}
