import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';

import type { Store } from '../../../src/store/store.ts';
import { until } from '../until.ts';

/** Resolves when a transaction waits for a lock. */
export async function somebodyWaits({ engine: { db } }: Store): Promise<void> {
  await until('a transaction waits', async () => {
    const { rows } = await sql`select 1 from pg_locks where not granted`.execute(db);
    return rows.length > 0;
  });
}

/**
 * Checks the locking order: takes the locks of `hold`, waits until `attempt` waits for them, and then takes those of
 * `look` with NOWAIT. That fails if `attempt` already has them, because the two could then deadlock.
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
