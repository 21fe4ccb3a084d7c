import { type Expression, type SqlBool, sql } from 'kysely';

import type { Id } from '../model/id.ts';
import type { Engine } from './engine.ts';

type Where = Expression<SqlBool>;

const EVERYWHERE: Where = sql<SqlBool>`settled_at >= 0`;

/**
 * Looks for a message where nearly all are that anybody asks for: among those that are open or were settled not
 * long ago. Only what is not there is looked for everywhere, in all partitions.
 */
export async function recentFirst<Found>(
  engine: Engine,
  find: (where: Where) => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const recent = recentOf(engine);
  return (recent && (await find(recent))) ?? find(EVERYWHERE);
}

/** The same for several. */
export async function allRecentFirst<Found extends { id: Id }>(
  engine: Engine,
  ids: readonly Id[],
  find: (ids: readonly Id[], where: Where) => Promise<Found[]>,
): Promise<Found[]> {
  if (ids.length === 0) return [];
  const recent = recentOf(engine);
  const found = recent ? await find(ids, recent) : [];
  const known = new Set(found.map(({ id }) => id));
  const others = ids.filter((id) => !known.has(id));
  return others.length === 0 ? found : [...found, ...(await find(others, EVERYWHERE))];
}

/** Undefined where looking there is looking everywhere. */
function recentOf({ partitions }: Engine): Where | undefined {
  if (!partitions?.recent) return undefined;
  return sql<SqlBool>`(settled_at = 0 or settled_at >= ${partitions.recent})`;
}
