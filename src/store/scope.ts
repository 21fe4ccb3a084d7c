import type { Kysely } from 'kysely';

import type { Id } from '../model/id.ts';
import type { Schema } from './schema.ts';

/** Of which messages: those of a team, or of one of its applications; and perhaps of one channel. */
export interface Scope {
  teamId: Id;
  applicationId?: Id | undefined;
  channel?: string | undefined;
}

/** The applications of a scope, so many at a time: a team may have more than one statement can go through. */
export async function* applicationsIn(
  db: Kysely<Schema>,
  { teamId, applicationId }: Scope,
  atOnce: number,
): AsyncGenerator<Id[]> {
  let query = db.selectFrom('applications').select('id').where('teamId', '=', teamId);
  if (applicationId !== undefined) query = query.where('id', '=', applicationId);
  const ids = (await query.execute()).map(({ id }) => id);
  for (let i = 0; i < ids.length; i += atOnce) yield ids.slice(i, i + atOnce);
}
