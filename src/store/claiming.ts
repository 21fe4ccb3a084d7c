import type { Kysely } from 'kysely';

import type { Millis } from '../model/timestamp.ts';
import type { Engine } from './engine.ts';
import type { Schema } from './schema.ts';

/**
 * The nodes besides this one whose integrations may be taken, and whether there are none at all to take; undefined when the
 * lease of the node itself has lapsed.
 */
export async function claimable(
  engine: Engine,
  db: Kysely<Schema>,
  node: string,
  dead: readonly string[],
  now: Millis,
): Promise<{ gone: string[]; isNone: boolean } | undefined> {
  const present = engine.present(now);
  let own = db
    .selectFrom('nodes')
    .select('id')
    .where('id', '=', node)
    .where('expiresAt', '>', present);
  // Whoever forgets nodes waits, and then sees that this one lives.
  if (engine.name === 'postgres' && db.isTransaction) own = own.forUpdate();
  if (!(await own.executeTakeFirst())) return undefined;
  const lapsed = await db
    .selectFrom('nodes')
    .select('id')
    .where('id', '!=', node)
    .where(({ eb, or }) => {
      const late = eb('expiresAt', '<=', present);
      return dead.length > 0 ? or([late, eb('id', 'in', dead)]) : late;
    })
    .execute();
  const gone = lapsed.map(({ id }) => id);
  const first = await ownedByNone(db, gone).limit(1).executeTakeFirst();
  return { gone, isNone: first === undefined };
}

/** The integrations that nobody owns, or one of these nodes. */
export function ownedByNone(db: Kysely<Schema>, gone: readonly string[]) {
  return db
    .selectFrom('ownerships')
    .select(['applicationId', 'integrationId'])
    .where(({ eb, or }) => {
      const nobodys = eb('node', 'is', null);
      return gone.length > 0 ? or([nobodys, eb('node', 'in', gone)]) : nobodys;
    });
}
