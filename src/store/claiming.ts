import type { Kysely } from 'kysely';

import type { Millis } from '../model/timestamp.ts';
import type { Engine } from './engine.ts';
import type { Owned } from './ownerships.ts';
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
  return { gone, isNone: !(await isAnyFree(db, gone)) };
}

/** Whether there is an integration that nobody owns, or one of these nodes. */
async function isAnyFree(db: Kysely<Schema>, gone: readonly string[]): Promise<boolean> {
  const owned = db.selectFrom('ownerships').select('integrationId').limit(1);
  if (await owned.where('node', 'is', null).executeTakeFirst()) return true;
  if (gone.length === 0) return false;
  return (await owned.where('node', 'in', gone).executeTakeFirst()) !== undefined;
}

/** Gives a node up to `limit` integrations that `owner` owns, or nobody where it is null. */
export function claimFrom(
  { name }: Engine,
  trx: Kysely<Schema>,
  owner: string | null,
  node: string,
  limit: number,
): Promise<Owned[]> {
  let free = trx
    .selectFrom('ownerships')
    .select(['applicationId', 'integrationId'])
    .where('node', owner === null ? 'is' : '=', owner)
    .limit(limit);
  // What somebody is just busy with is taken the next time.
  if (name === 'postgres') free = free.forUpdate().skipLocked();
  return trx
    .updateTable('ownerships')
    .set(({ eb }) => ({ node, fence: eb('fence', '+', 1) }))
    .where(({ eb, refTuple }) =>
      eb(
        refTuple('applicationId', 'integrationId'),
        'in',
        free.$asTuple('applicationId', 'integrationId'),
      ),
    )
    .returning(['applicationId', 'integrationId', 'fence'])
    .returning(({ selectFrom }) =>
      selectFrom('applications')
        .select('teamId')
        .whereRef('applications.id', '=', 'ownerships.applicationId')
        .as('teamId'),
    )
    .execute();
}
