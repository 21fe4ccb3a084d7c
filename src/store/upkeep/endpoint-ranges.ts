import { type Kysely, sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import type { Schema } from '../schema.ts';

/** Endpoints per statement, so that other statements run in between. */
const ENDPOINTS_PER_RANGE = 1_000;

/** Divides the endpoints into ranges of application ids, each small enough for one statement. */
export async function* endpointRanges(db: Kysely<Schema>): AsyncGenerator<{ after: Id; upTo: Id }> {
  for (let after = 0; ;) {
    const { rows } = await sql<{ last: Id }>`select application_id as last from endpoints
      where application_id > ${after} order by application_id
      limit 1 offset ${ENDPOINTS_PER_RANGE - 1}`.execute(db);
    const [end] = rows;
    yield { after, upTo: end?.last ?? Number.MAX_SAFE_INTEGER };
    if (!end) return;
    after = end.last;
  }
}
