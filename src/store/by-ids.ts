import { type RawBuilder, sql } from 'kysely';

import type { Id } from '../model/id.ts';
import type { Engine } from './engine.ts';

/**
 * Messages of one application by id. The `+` prevents a planner mistake of SQLite: it expects fewer rows from an
 * index that starts with the application than from a handful of ids, and would visit all messages of the application.
 */
export function byIds(
  { name }: Pick<Engine, 'name'>,
  applicationId: Id,
  ids: readonly Id[],
): RawBuilder<boolean> {
  const application = name === 'postgres' ? sql`application_id` : sql`+application_id`;
  return sql<boolean>`${application} = ${applicationId} and id in (${sql.join(ids)})`;
}
