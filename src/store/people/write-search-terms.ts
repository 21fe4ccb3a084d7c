import type { Kysely } from 'kysely';

import type { Address, Contact } from '../../model/people/contact.ts';
import { termsOf } from '../../model/people/search-terms.ts';
import type { Schema } from '../schema.ts';

/** Replaces the terms by which a contact is found. */
export async function writeSearchTerms(
  trx: Kysely<Schema>,
  contact: Pick<Contact, 'applicationId' | 'id' | 'name' | 'externalId'>,
  addresses: readonly Pick<Address, 'address'>[],
): Promise<void> {
  const { applicationId, id: contactId } = contact;
  const terms = termsOf(contact, addresses);
  await trx
    .deleteFrom('contactTerms')
    .where((eb) => eb.and({ applicationId, contactId }))
    .execute();
  if (terms.length === 0) return;
  const rows = terms.map((term) => ({ applicationId, term, contactId }));
  await trx.insertInto('contactTerms').values(rows).execute();
}
