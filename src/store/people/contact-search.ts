import { type Kysely, sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import { LAST_CHARACTER } from '../../model/people/search-terms.ts';
import { type Page, type PageRequest, isBackwards, pageOf } from '../paging.ts';
import type { Schema } from '../schema.ts';
import type { ContactTerm } from './rows.ts';

type Place = Pick<ContactTerm, 'term' | 'contactId'>;

/**
 * A page of contacts with a term that begins with the prefix, by their first such term. Each statement reads one range
 * of an index, and one entry per contact that it finds.
 */
export async function searchContacts(
  db: Kysely<Schema>,
  applicationId: Id,
  prefix: string,
  request: PageRequest,
): Promise<Page<Id>> {
  const { limit, startingAfter, endingBefore } = request;
  const backwards = isBackwards(request);
  const cursor = startingAfter ?? endingBefore;
  const from = cursor === undefined ? undefined : await placeOf(db, applicationId, prefix, cursor);
  if (cursor !== undefined && !from) return { items: [], older: false, newer: false };
  const direction = backwards ? 'desc' : 'asc';
  let query = db
    .selectFrom('contactTerms as t')
    .select(['t.term', 't.contactId'])
    .where('t.applicationId', '=', applicationId)
    .where('t.term', '>=', prefix)
    .where('t.term', '<', prefix + LAST_CHARACTER)
    // A contact with several such terms is listed once.
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('contactTerms as e')
            .select('e.term')
            .where('e.applicationId', '=', applicationId)
            .whereRef('e.contactId', '=', 't.contactId')
            .where('e.term', '>=', prefix)
            .whereRef('e.term', '<', 't.term'),
        ),
      ),
    );
  if (from) query = query.where(beyond(from, backwards));
  const rows = await query
    .orderBy('t.term', direction)
    .orderBy('t.contactId', direction)
    .limit(limit + 1)
    .execute();
  const found = rows.map(({ contactId }) => contactId);
  return pageOf(found, request);
}

const beyond = ({ term, contactId }: Place, backwards: boolean) =>
  backwards
    ? sql<boolean>`(t.term, t.contact_id) < (${term}, ${contactId})`
    : sql<boolean>`(t.term, t.contact_id) > (${term}, ${contactId})`;

/** The place of a contact in the list. */
function placeOf(
  db: Kysely<Schema>,
  applicationId: Id,
  prefix: string,
  contactId: Id,
): Promise<Place | undefined> {
  return db
    .selectFrom('contactTerms')
    .select(['term', 'contactId'])
    .where((eb) => eb.and({ applicationId, contactId }))
    .where('term', '>=', prefix)
    .where('term', '<', prefix + LAST_CHARACTER)
    .orderBy('term')
    .limit(1)
    .executeTakeFirst();
}
