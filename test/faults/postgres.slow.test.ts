import { it } from 'node:test';

import { crashPostgres } from './crashing-postgres.ts';

it('nodes outlive a PostgreSQL that crashes under load: nothing is lost or sent twice', async () => {
  await crashPostgres({ nodes: 2, crashes: 1, messages: 80, progress() {} });
});
