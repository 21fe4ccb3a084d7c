import type { Kysely } from 'kysely';

import type { Id } from '../model/id.ts';
import type { IntegrationMode } from '../model/integration.ts';
import type { Schema } from './schema.ts';

/** Selects messages of a team or of one application, and optionally of one channel. */
export interface Scope {
  teamId: Id;
  applicationId?: Id | undefined;
  channel?: string | undefined;
  /** Live traffic, if undefined. */
  mode?: IntegrationMode | undefined;
}

/** The applications of a scope in batches, since a team may have too many for one statement. */
export async function* applicationsIn(
  db: Kysely<Schema>,
  { teamId, applicationId }: Scope,
  batchSize: number,
): AsyncGenerator<Id[]> {
  let query = db.selectFrom('applications').select('id').where('teamId', '=', teamId);
  if (applicationId !== undefined) query = query.where('id', '=', applicationId);
  const ids = (await query.execute()).map(({ id }) => id);
  for (let i = 0; i < ids.length; i += batchSize) yield ids.slice(i, i + batchSize);
}
