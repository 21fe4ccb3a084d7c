import type { Kysely } from 'kysely';

import type { Id } from '../../model/id.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Engine } from '../engine.ts';
import type { Schema } from '../schema.ts';

/** An integration that a node owns. */
export interface OwnedIntegration {
  integrationId: Id;
  applicationId: Id;
  /** The team of the application; null if the application was deleted. */
  teamId: Id | null;
  fence: number;
}

/**
 * The other nodes whose integrations may be claimed, and whether there is nothing to claim. Undefined if this node's
 * own lease has expired.
 */
export async function claimable(
  engine: Engine,
  db: Kysely<Schema>,
  node: string,
  dead: readonly string[],
  now: Millis,
): Promise<{ gone: string[]; isEmpty: boolean } | undefined> {
  const databaseNow = engine.databaseNow(now);
  let thisNode = db
    .selectFrom('nodes')
    .select('id')
    .where('id', '=', node)
    .where('expiresAt', '>', databaseNow);
  // The lock makes `forget` wait, which then sees that this node is alive.
  if (engine.name === 'postgres' && db.isTransaction) thisNode = thisNode.forUpdate();
  if (!(await thisNode.executeTakeFirst())) return undefined;
  const expired = await db
    .selectFrom('nodes')
    .select('id')
    .where('id', '!=', node)
    .where(({ eb, or }) => {
      const isExpired = eb('expiresAt', '<=', databaseNow);
      return dead.length > 0 ? or([isExpired, eb('id', 'in', dead)]) : isExpired;
    })
    .execute();
  const gone = expired.map(({ id }) => id);
  return { gone, isEmpty: !(await isAnyFree(db, gone)) };
}

/**
 * Whether an integration has no owner or is owned by one of these nodes. Index ownerships_by_node finds one or none.
 */
async function isAnyFree(db: Kysely<Schema>, gone: readonly string[]): Promise<boolean> {
  const owned = db.selectFrom('ownerships').select('integrationId').limit(1);
  if (await owned.where('node', 'is', null).executeTakeFirst()) return true;
  if (gone.length === 0) return false;
  return (await owned.where('node', 'in', gone).executeTakeFirst()) !== undefined;
}

/**
 * Ownership claim: assigns up to `limit` integrations of `owner` (null: without owner) to a node, each with a new
 * fencing number. Index ownerships_by_node (node, application_id, integration_id) finds them and the primary key
 * updates them, so the cost depends on `limit`. The limit is inside the subquery: an update without it would lock and
 * rewrite every row of the owner in one statement. test/store/statements.test.ts checks the plan,
 * test/store/ownerships.test.ts the result.
 */
export function claimFrom(
  { name }: Engine,
  trx: Kysely<Schema>,
  owner: string | null,
  node: string,
  limit: number,
): Promise<OwnedIntegration[]> {
  let free = trx
    .selectFrom('ownerships')
    .select(['applicationId', 'integrationId'])
    .where('node', owner === null ? 'is' : '=', owner)
    .limit(limit);
  // `skip locked`: nodes that claim at the same time take different rows; a locked row is claimed the next time.
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
