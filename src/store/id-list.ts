import { type RawBuilder, sql } from 'kysely';

import type { Id } from '../model/id.ts';
import type { Engine } from './engine.ts';

/**
 * Whether the column is one of the ids. One parameter holds the whole list, so that every length is the same prepared
 * statement; `in (?, ?, …)` is compiled and planned again for each length.
 */
export function isOneOf(
  { name }: Pick<Engine, 'name'>,
  column: string,
  ids: readonly Id[],
): RawBuilder<boolean> {
  return name === 'postgres'
    ? sql<boolean>`${sql.ref(column)} = any(${ids}::bigint[])`
    : sql<boolean>`${sql.ref(column)} in (select value from json_each(${JSON.stringify(ids)}))`;
}
