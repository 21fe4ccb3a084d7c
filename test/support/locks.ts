import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';

import type { Store } from '../../src/store/store.ts';
import { until } from './until.ts';

/** Resolves when somebody waits for a lock. */
export async function somebodyWaits({ engine: { db } }: Store): Promise<void> {
  await until('somebody waits', async () => {
    const { rows } = await sql`select 1 from pg_locks where not granted`.execute(db);
    return rows.length > 0;
  });
}

/**
 * Holds what one statement locks until something else waits for it, and then locks what another names: refused
 * when that is locked by what waits, since each would then wait for the other.
 */
export async function whileHeld(
  store: Store,
  hold: RawBuilder<unknown>,
  attempt: () => Promise<unknown>,
  look: RawBuilder<unknown>,
): Promise<void> {
  const { db } = store.engine;
  let attempted: Promise<unknown> = Promise.resolve();
  await db.transaction().execute(async (trx) => {
    await hold.execute(trx);
    attempted = attempt();
    await somebodyWaits(store);
    await look.execute(trx);
  });
  await attempted;
}
