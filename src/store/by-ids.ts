import { type RawBuilder, sql } from 'kysely';

import type { Id } from '../model/id.ts';
import type { Engine } from './engine.ts';

/**
 * Messages of one application by their numbers. The plus keeps SQLite from an index that begins with the application:
 * it takes all messages of one for fewer than a handful of numbers, and would look at each of them.
 */
export function byIds(
  { name }: Pick<Engine, 'name'>,
  applicationId: Id,
  ids: readonly Id[],
): RawBuilder<boolean> {
  const application = name === 'postgres' ? sql`application_id` : sql`+application_id`;
  return sql<boolean>`${application} = ${applicationId} and id in (${sql.join(ids)})`;
}
