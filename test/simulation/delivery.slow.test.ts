import { sql } from 'kysely';

import { readConfig } from '../../src/config.ts';
import { Sealer, generateRingKey } from '../../src/lib/crypto/seal.ts';
import { openStore } from '../../src/setup.ts';
import { Store } from '../../src/store/store.ts';
import { createDatabase } from '../support/store/databases.ts';
import { openInlineStore } from '../support/store/inline-store.ts';
import { runsOr, simulate } from './scenarios.ts';

simulate('embedded store', openInlineStore, runsOr(300));
simulate('PostgreSQL', openPostgres, runsOr(30));

/** Leases follow the simulated clock instead of the server's. */
async function openPostgres(): Promise<Store> {
  const database = await createDatabase('postgres', { migrated: true });
  const { engine } = await openStore(readConfig(database.environment));
  const simulated = {
    ...engine,
    databaseNow: (now: number, after = 0) => sql<number>`${now + after}::bigint`,
    async close() {
      await engine.close();
      await database.dispose();
    },
  };
  return new Store(simulated, new Sealer([generateRingKey()]));
}
