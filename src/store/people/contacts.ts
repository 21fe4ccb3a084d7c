import type { Kysely } from 'kysely';

import type { Id } from '../../model/id.ts';
import { contactEvent } from '../../model/people/contact-event.ts';
import {
  ANY_INTEGRATION,
  type Address,
  type AddressKey,
  type Attestation,
  type Contact,
  type ContactChange,
  MAX_ADDRESSES,
  type NewAddress,
  type NewContact,
  UNATTESTED,
} from '../../model/people/contact.ts';
import type { Millis } from '../../model/timestamp.ts';
import { appendEvents } from '../feed/events.ts';
import { type RecordOf, recordAnswer } from '../messages/idempotency.ts';
import { type Page, type PageRequest, page } from '../paging.ts';
import { Repository } from '../repository.ts';
import type { Schema } from '../schema.ts';
import { ContactRefusal, orRefusal } from './contact-refusal.ts';
import { searchContacts } from './contact-search.ts';
import { writeSearchTerms } from './write-search-terms.ts';

/** A contact with its addresses, in the order in which they were added. */
export type Person = Contact & { addresses: Address[] };

/** The changeable fields of an address. */
export type AddressChange = Partial<Pick<Address, 'label' | 'preference' | 'state'>>;

type ContactKey = Pick<Contact, 'applicationId' | 'id'>;

interface AddressRequest {
  record?: RecordOf<Address>;
  attestation?: Attestation;
}

/** The people of applications. Every method takes the application: contacts of others are not found. */
export class Contacts extends Repository {
  /** Returns the contact, or what another contact already has. */
  create(
    contact: NewContact,
    addresses: readonly NewAddress[],
    record?: RecordOf<Person>,
  ): Promise<Person | ContactRefusal> {
    return orRefusal(() =>
      this.db.transaction().execute(async (trx) => {
        const [id = 0, ...ids] = await this.engine.allocateSequences(trx, 1 + addresses.length);
        await insertContact(trx, { ...contact, id });
        const added: Address[] = [];
        for (const [i, address] of addresses.entries()) {
          const { applicationId } = contact;
          const row = addressRow({ applicationId, id }, address, ids[i] ?? 0);
          // The vendor reported it with the first one.
          if (i > 0 && address.evidence === 'vendor') row.attestedBy = ids[0] ?? null;
          await insertAddress(trx, row, i);
          added.push(row);
        }
        await writeSearchTerms(trx, { ...contact, id }, added);
        const { applicationId, createdAt } = contact;
        const event = contactEvent('contact.created', { applicationId, id }, createdAt);
        await appendEvents(trx, [event]);
        const person = { ...contact, id, addresses: added };
        await recordAnswer(trx, record?.(person));
        return person;
      }),
    );
  }

  async get(applicationId: Id, id: Id): Promise<Person | undefined> {
    const contact = await this.#all(applicationId).where('id', '=', id).executeTakeFirst();
    return contact && (await this.#withAddresses(applicationId, [contact]))[0];
  }

  async byExternalId(applicationId: Id, externalId: string): Promise<Person | undefined> {
    const contact = await this.#all(applicationId)
      .where('externalId', '=', externalId)
      .executeTakeFirst();
    return contact && (await this.#withAddresses(applicationId, [contact]))[0];
  }

  /** Newest first. */
  async list(applicationId: Id, request: PageRequest): Promise<Page<Person>> {
    const found = await page(this.#all(applicationId), request);
    return { ...found, items: await this.#withAddresses(applicationId, found.items) };
  }

  /** Contacts with a name, an address or an external id that begins with `prefix`, in alphabetical order. */
  async search(applicationId: Id, prefix: string, request: PageRequest): Promise<Page<Person>> {
    const { items: ids, ...rest } = await searchContacts(this.db, applicationId, prefix, request);
    if (ids.length === 0) return { items: [], ...rest };
    const rows = await this.#all(applicationId).where('id', 'in', ids).execute();
    const byId = new Map(rows.map((row) => [row.id, row]));
    const contacts = ids.flatMap((id) => byId.get(id) ?? []);
    return { items: await this.#withAddresses(applicationId, contacts), ...rest };
  }

  /** Returns whether it exists, or that another contact has the external id. */
  update({ applicationId, id }: ContactKey, change: ContactChange, now: Millis) {
    return orRefusal(() =>
      this.db.transaction().execute(async (trx) => {
        const { externalId } = change;
        if (externalId) await claimExternalId(trx, { applicationId, id }, externalId);
        const contact = await trx
          .updateTable('contacts')
          .set({ ...change, updatedAt: now })
          .where((eb) => eb.and({ applicationId, id }))
          .returningAll()
          .executeTakeFirst();
        if (!contact) return false;
        await writeSearchTerms(trx, contact, await addressesIn(trx, applicationId, [id]));
        return true;
      }),
    );
  }

  /**
   * Returns the address, or what keeps the contact from having it. Undefined if there is no such contact, or if it no
   * longer has the address that attests this one.
   */
  addAddress(
    { applicationId, id }: ContactKey,
    address: NewAddress,
    { record, attestation = UNATTESTED }: AddressRequest = {},
  ) {
    return orRefusal(() =>
      this.db.transaction().execute(async (trx) => {
        const contact = await lockContact(trx, { applicationId, id }, address.createdAt);
        if (!contact) return undefined;
        const others = await addressesIn(trx, applicationId, [id]);
        if (!isValidFor(attestation, { ...contact, addresses: others })) return undefined;
        if (others.length >= MAX_ADDRESSES) throw new ContactRefusal('too_many');
        const [addressId = 0] = await this.engine.allocateSequences(trx, 1);
        const row = { ...addressRow({ applicationId, id }, address, addressId), ...attestation };
        await insertAddress(trx, row, 0);
        await writeSearchTerms(trx, contact, [...others, row]);
        await recordAnswer(trx, record?.(row));
        return row;
      }),
    );
  }

  /** Returns whether it exists. */
  async updateAddress(
    { applicationId, id: contactId }: ContactKey,
    id: Id,
    change: AddressChange,
  ): Promise<boolean> {
    const { numUpdatedRows } = await this.db
      .updateTable('addresses')
      .set({ contactId, ...change })
      .where((eb) => eb.and({ applicationId, contactId, id }))
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** Returns whether it existed. */
  removeAddress({ applicationId, id }: ContactKey, addressId: Id, now: Millis): Promise<boolean> {
    return this.db.transaction().execute(async (trx) => {
      const contact = await lockContact(trx, { applicationId, id }, now);
      if (!contact) return false;
      const removed = await trx
        .deleteFrom('addresses')
        .where((eb) => eb.and({ applicationId, contactId: id, id: addressId }))
        .returning(['attestedBy', 'signedId'])
        .executeTakeFirst();
      if (removed) await passOn(trx, { applicationId, id }, addressId, removed);
      await writeSearchTerms(trx, contact, await addressesIn(trx, applicationId, [id]));
      return removed !== undefined;
    });
  }

  /** Deletes a contact with its addresses; returns whether it existed. */
  delete({ applicationId, id }: ContactKey): Promise<boolean> {
    return this.db.transaction().execute(async (trx) => {
      const { numDeletedRows } = await trx
        .deleteFrom('contacts')
        .where((eb) => eb.and({ applicationId, id }))
        .executeTakeFirst();
      const ofContact = { applicationId, contactId: id };
      await trx
        .deleteFrom('addresses')
        .where((eb) => eb.and(ofContact))
        .execute();
      await trx
        .deleteFrom('contactTerms')
        .where((eb) => eb.and(ofContact))
        .execute();
      // They contain what was known about the person.
      await trx
        .deleteFrom('contactMerges')
        .where((eb) => eb.and(ofContact))
        .execute();
      return numDeletedRows > 0n;
    });
  }

  /** For each address, the contact that has it. An address of its integration comes before one of its family. */
  async ofAddresses(
    applicationId: Id,
    keys: readonly AddressKey[],
  ): Promise<(Contact | undefined)[]> {
    const owners = new Map<string, Address>();
    const groups = Map.groupBy(keys, ({ family, integrationId }) => `${integrationId} ${family}`);
    for (const [first, ...others] of groups.values()) {
      if (!first) continue;
      const { family, integrationId } = first;
      const rows = await this.db
        .selectFrom('addresses')
        .selectAll()
        .where((eb) => eb.and({ applicationId, family }))
        .where('integrationId', 'in', [integrationId, ANY_INTEGRATION])
        .where(
          'address',
          'in',
          [first, ...others].map(({ address }) => address),
        )
        .orderBy('integrationId')
        .execute();
      for (const row of rows) owners.set(`${integrationId} ${family}:${row.address}`, row);
    }
    const found = keys.map(({ family, integrationId, address }) =>
      owners.get(`${integrationId} ${family}:${address}`),
    );
    const ids = [...new Set(found.flatMap((one) => one?.contactId ?? []))];
    if (ids.length === 0) return found.map(() => undefined);
    const rows = await this.#all(applicationId).where('id', 'in', ids).execute();
    const contacts = new Map(rows.map((row) => [row.id, row]));
    return found.map((one) => one && contacts.get(one.contactId));
  }

  async #withAddresses(applicationId: Id, contacts: readonly Contact[]): Promise<Person[]> {
    const ids = contacts.map(({ id }) => id);
    const addresses = await addressesIn(this.db, applicationId, ids);
    const byContact = Map.groupBy(addresses, ({ contactId }) => contactId);
    return contacts.map((contact) => ({ ...contact, addresses: byContact.get(contact.id) ?? [] }));
  }

  #all(applicationId: Id) {
    return this.db.selectFrom('contacts').selectAll().where('applicationId', '=', applicationId);
  }
}

/** A contact of whom nothing is known. */
export const EMPTY = { externalId: null, name: null, locale: null, timezone: null, fields: null };

/** Locks the contact until the end of the transaction. */
function lockContact(trx: Kysely<Schema>, key: ContactKey, now: Millis) {
  return trx
    .updateTable('contacts')
    .set({ updatedAt: now })
    .where((eb) => eb.and(key))
    .returningAll()
    .executeTakeFirst();
}

export async function insertContact(trx: Kysely<Schema>, contact: Contact): Promise<void> {
  const inserted = await trx
    .insertInto('contacts')
    .values(contact)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!inserted) throw new ContactRefusal('external_id');
}

async function claimExternalId(
  trx: Kysely<Schema>,
  { applicationId, id }: ContactKey,
  externalId: string,
): Promise<void> {
  const other = await trx
    .selectFrom('contacts')
    .select('id')
    .where((eb) => eb.and({ applicationId, externalId }))
    .executeTakeFirst();
  if (other && other.id !== id) throw new ContactRefusal('external_id');
}

async function insertAddress(trx: Kysely<Schema>, row: Address, position: number): Promise<void> {
  const inserted = await trx
    .insertInto('addresses')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!inserted) throw new ContactRefusal('address', position);
}

export function addressRow(
  { applicationId, id: contactId }: ContactKey,
  address: NewAddress,
  id: Id,
): Address {
  return { ...address, ...UNATTESTED, applicationId, id, contactId, lastInboundAt: null };
}

/** Whether the contact still has what the attestation names: another request may have unmerged it. */
const isValidFor = (
  { attestedBy, signedId }: Attestation,
  { externalId, addresses }: Person,
): boolean =>
  (attestedBy === null || addresses.some(({ id }) => id === attestedBy)) &&
  (signedId === null || externalId === signedId);

/** Passes the attestation of a removed address on to the addresses and merges that it attested. */
async function passOn(
  trx: Kysely<Schema>,
  { applicationId, id: contactId }: ContactKey,
  removedId: Id,
  { attestedBy, signedId }: Attestation,
): Promise<void> {
  // The addresses then keep the removed id: merges remember the ids of removed addresses too.
  if (attestedBy === null && signedId === null) return;
  for (const table of ['addresses', 'contactMerges'] as const) {
    await trx
      .updateTable(table)
      .set({ attestedBy, signedId })
      .where((eb) => eb.and({ applicationId, contactId, attestedBy: removedId }))
      .execute();
  }
}

/** In the order in which they were added. */
export async function addressesIn(
  db: Kysely<Schema>,
  applicationId: Id,
  contactIds: readonly Id[],
): Promise<Address[]> {
  if (contactIds.length === 0) return [];
  return db
    .selectFrom('addresses')
    .selectAll()
    .where('applicationId', '=', applicationId)
    .where('contactId', 'in', contactIds)
    .orderBy('contactId')
    .orderBy('id')
    .execute();
}
