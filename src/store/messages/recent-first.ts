import { type Expression, type SqlBool, sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import type { Engine } from '../engine.ts';

type PartitionFilter = Expression<SqlBool>;

const ALL_PARTITIONS: PartitionFilter = sql<SqlBool>`settled_at >= -1`;

/**
 * Searches for a message among scheduled, open and recently settled ones first, where almost all requests find it, and
 * only then in all partitions.
 */
export async function recentFirst<Found>(
  engine: Engine,
  find: (where: PartitionFilter) => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const recent = recentOf(engine);
  return (recent && (await find(recent))) ?? find(ALL_PARTITIONS);
}

/** The same for several messages. */
export async function allRecentFirst<Found extends { id: Id }>(
  engine: Engine,
  ids: readonly Id[],
  find: (ids: readonly Id[], where: PartitionFilter) => Promise<Found[]>,
): Promise<Found[]> {
  if (ids.length === 0) return [];
  const recent = recentOf(engine);
  const found = recent ? await find(ids, recent) : [];
  const foundIds = new Set(found.map(({ id }) => id));
  const missing = ids.filter((id) => !foundIds.has(id));
  return missing.length === 0 ? found : [...found, ...(await find(missing, ALL_PARTITIONS))];
}

/** Undefined if there are no partitions. */
function recentOf({ partitions }: Engine): PartitionFilter | undefined {
  if (!partitions?.recent) return undefined;
  return sql<SqlBool>`(settled_at in (-1, 0) or settled_at >= ${partitions.recent})`;
}
