import type { Kysely } from 'kysely';

import { chunksOf } from '../../lib/runtime/chunks.ts';
import type { Id } from '../../model/id.ts';
import { contactEvent } from '../../model/people/contact-event.ts';
import type { ImportRow, ImportedPerson } from '../../model/people/contact-import.ts';
import type { Contact } from '../../model/people/contact.ts';
import { termsOf } from '../../model/people/search-terms.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Engine } from '../engine.ts';
import { appendEvents } from '../feed/events.ts';
import type { Schema } from '../schema.ts';
import { ContactRefusal } from './contact-refusal.ts';
import { type Person, addressRow, addressesIn } from './contacts.ts';

/** Rows per statement. */
const MAX_PER_STATEMENT = 200;

/** All contacts with an external id or an address of these rows, locked until the end of the transaction. */
export async function findPeople(
  engine: Engine,
  trx: Kysely<Schema>,
  applicationId: Id,
  rows: readonly ImportRow[],
): Promise<Person[]> {
  const ids = new Set([
    ...(await byExternalIds(trx, applicationId, rows)),
    ...(await byAddresses(trx, applicationId, rows)),
  ]);
  if (ids.size === 0) return [];
  let query = trx
    .selectFrom('contacts')
    .selectAll()
    .where('applicationId', '=', applicationId)
    .where('id', 'in', [...ids])
    .orderBy('id');
  if (engine.name === 'postgres') query = query.forUpdate();
  const contacts = await query.execute();
  const addresses = await addressesIn(
    trx,
    applicationId,
    contacts.map(({ id }) => id),
  );
  const byContact = Map.groupBy(addresses, ({ contactId }) => contactId);
  return contacts.map((contact) =>
    Object.assign(contact, { addresses: byContact.get(contact.id) ?? [] }),
  );
}

async function byExternalIds(
  trx: Kysely<Schema>,
  applicationId: Id,
  rows: readonly ImportRow[],
): Promise<Id[]> {
  const externalIds = [...new Set(rows.flatMap(({ contact }) => contact.externalId ?? []))];
  if (externalIds.length === 0) return [];
  const found = await trx
    .selectFrom('contacts')
    .select('id')
    .where('applicationId', '=', applicationId)
    .where('externalId', 'in', externalIds)
    .execute();
  return found.map(({ id }) => id);
}

async function byAddresses(
  trx: Kysely<Schema>,
  applicationId: Id,
  rows: readonly ImportRow[],
): Promise<Id[]> {
  const ids: Id[] = [];
  const groups = Map.groupBy(
    rows.flatMap(({ addresses }) => addresses),
    ({ family, integrationId }) => `${integrationId} ${family}`,
  );
  for (const [first, ...others] of groups.values()) {
    if (!first) continue;
    const { family, integrationId } = first;
    const texts = [...new Set([first, ...others].map(({ address }) => address))];
    for (const chunk of chunksOf(texts, MAX_PER_STATEMENT)) {
      const found = await trx
        .selectFrom('addresses')
        .select('contactId')
        .where((eb) => eb.and({ applicationId, family, integrationId }))
        .where('address', 'in', chunk)
        .execute();
      ids.push(...found.map(({ contactId }) => contactId));
    }
  }
  return ids;
}

/** Stores the changed ones, with events about new contacts. Throws ContactRefusal if another request was faster. */
export async function storePeople(
  engine: Engine,
  trx: Kysely<Schema>,
  people: readonly ImportedPerson[],
  now: Millis,
): Promise<void> {
  const changed = people.filter(({ isChanged }) => isChanged);
  const fresh = changed.filter(({ contact }) => contact.id === undefined);
  const added = changed.reduce((sum, person) => sum + person.added.length, 0);
  const ids = (await engine.allocateSequences(trx, fresh.length + added)).values();
  const next = () => ids.next().value ?? 0;
  const stored = changed.map(({ contact, addresses, added: newAddresses }) => {
    const row: Contact = { ...contact, id: contact.id ?? next() };
    return { addresses, added: newAddresses, row, isNew: contact.id === undefined };
  });
  const created = stored.flatMap(({ row, isNew }) => (isNew ? [row] : []));
  for (const chunk of chunksOf(created, MAX_PER_STATEMENT)) {
    const inserted = await trx
      .insertInto('contacts')
      .values(chunk)
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .execute();
    if (inserted.length < chunk.length) throw new ContactRefusal('external_id');
  }
  for (const { row, isNew } of stored) {
    if (isNew) continue;
    const { applicationId, id, createdAt: _, ...change } = row;
    await trx
      .updateTable('contacts')
      .set(change)
      .where((eb) => eb.and({ applicationId, id }))
      .execute();
  }
  const addresses = stored.flatMap(({ row, added: newAddresses }) =>
    newAddresses.map((address) => addressRow(row, address, next())),
  );
  for (const chunk of chunksOf(addresses, MAX_PER_STATEMENT)) {
    const inserted = await trx
      .insertInto('addresses')
      .values(chunk)
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .execute();
    if (inserted.length < chunk.length) throw new ContactRefusal('address');
  }
  await replaceTerms(trx, stored);
  await appendEvents(
    trx,
    created.map((contact) => contactEvent('contact.created', contact, now)),
  );
}

async function replaceTerms(
  trx: Kysely<Schema>,
  stored: readonly (Pick<ImportedPerson, 'addresses'> & { row: Contact; isNew: boolean })[],
): Promise<void> {
  for (const { row, isNew } of stored) {
    if (isNew) continue;
    const { applicationId, id: contactId } = row;
    await trx
      .deleteFrom('contactTerms')
      .where((eb) => eb.and({ applicationId, contactId }))
      .execute();
  }
  const terms = stored.flatMap(({ row, addresses }) =>
    termsOf(row, addresses).map((term) => ({
      applicationId: row.applicationId,
      term,
      contactId: row.id,
    })),
  );
  for (const chunk of chunksOf(terms, MAX_PER_STATEMENT)) {
    await trx.insertInto('contactTerms').values(chunk).execute();
  }
}
