import { describe, it } from 'node:test';

import { ENGINES } from '../support/databases.ts';
import { crashBySending } from './poison.ts';

for (const engine of ENGINES) {
  describe(`a message that ends whoever sends it (${engine})`, () => {
    it('is set aside after three crashes, and everything else is sent', async () => {
      await crashBySending({ engine, messages: 120, progress() {} });
    });
  });
}
