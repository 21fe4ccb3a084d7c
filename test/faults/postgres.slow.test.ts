import { it } from 'node:test';

import { crashPostgres } from './scenarios/crashing-postgres.ts';

it('nodes survive a PostgreSQL crash under load without losing or repeating a message', async () => {
  await crashPostgres({ nodes: 2, crashes: 1, messages: 80, progress() {} });
});
