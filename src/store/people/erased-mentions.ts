import type { Kysely } from 'kysely';

import type { Id } from '../../model/id.ts';
import type { Schema } from '../schema.ts';

/** Removes jobs and error texts of an application that name a person. */
export async function removeMentions(
  trx: Kysely<Schema>,
  applicationId: Id,
  isNamed: (text: string) => boolean,
): Promise<void> {
  const jobs = await trx
    .selectFrom('jobs')
    .select(['id', 'wanted', 'filter'])
    .where('applicationId', '=', applicationId)
    .execute();
  const named = jobs
    .filter(({ wanted, filter }) => isNamed(wanted) || isNamed(filter))
    .map(({ id }) => id);
  if (named.length > 0) {
    await trx
      .deleteFrom('jobs')
      .where('applicationId', '=', applicationId)
      .where('id', 'in', named)
      .execute();
  }
  const faults = await trx
    .selectFrom('ownerships')
    .select(['integrationId', 'lastError', 'receivingError', 'pausedDetail'])
    .where('applicationId', '=', applicationId)
    .execute();
  for (const { integrationId, lastError, receivingError, pausedDetail } of faults) {
    if (![lastError, receivingError, pausedDetail].some((text) => isNamed(text ?? ''))) continue;
    await trx
      .updateTable('ownerships')
      .set({ lastError: null, receivingError: null, pausedDetail: null })
      .where((eb) => eb.and({ applicationId, integrationId }))
      .execute();
  }
}
