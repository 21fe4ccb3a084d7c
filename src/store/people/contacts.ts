import type { Kysely } from 'kysely';

import type { AuditEntry } from '../../model/audit.ts';
import type { Id } from '../../model/id.ts';
import { contactEvent } from '../../model/people/contact-event.ts';
import {
  ANY_INTEGRATION,
  type Address,
  type AddressKey,
  type Contact,
  MAX_ADDRESSES,
  type NewAddress,
  type NewContact,
} from '../../model/people/contact.ts';
import type { Millis } from '../../model/timestamp.ts';
import { recordAudit } from '../accounts/audit.ts';
import { appendEvents } from '../feed/events.ts';
import { type Page, type PageRequest, page } from '../paging.ts';
import { Repository } from '../repository.ts';
import type { Schema } from '../schema.ts';
import { searchContacts } from './contact-search.ts';
import { Taken, orTaken } from './taken.ts';
import { writeTerms } from './terms.ts';

/** A contact with its addresses, in the order in which they were added. */
export type Person = Contact & { addresses: Address[] };

/** The changeable fields of a contact. Absent ones keep their values. */
export type ContactChange = Partial<
  Pick<Contact, 'externalId' | 'name' | 'locale' | 'timezone' | 'fields'>
>;

/** The changeable fields of an address. */
export type AddressChange = Partial<Pick<Address, 'label' | 'preference' | 'state'>>;

type ContactKey = Pick<Contact, 'applicationId' | 'id'>;

/** The people of applications. Every method takes the application: contacts of others are not found. */
export class Contacts extends Repository {
  /** Returns the contact, or what another contact already has. */
  create(contact: NewContact, addresses: readonly NewAddress[]): Promise<Person | Taken> {
    return orTaken(() =>
      this.db.transaction().execute(async (trx) => {
        const [id = 0, ...ids] = await this.engine.allocateSequences(trx, 1 + addresses.length);
        await insertContact(trx, { ...contact, id });
        const added: Address[] = [];
        for (const [i, address] of addresses.entries()) {
          const { applicationId } = contact;
          const row = addressRow({ applicationId, id }, address, ids[i] ?? 0);
          await insertAddress(trx, row, i);
          added.push(row);
        }
        await writeTerms(trx, { ...contact, id }, added);
        const { applicationId, createdAt } = contact;
        const event = contactEvent('contact.created', { applicationId, id }, createdAt);
        await appendEvents(trx, [event]);
        return { ...contact, id, addresses: added };
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

  /** Those with a name, an address or an external id that begins like this, in the order of the alphabet. */
  async search(applicationId: Id, prefix: string, request: PageRequest): Promise<Page<Person>> {
    const { items: ids, ...rest } = await searchContacts(this.db, applicationId, prefix, request);
    if (ids.length === 0) return { items: [], ...rest };
    const rows = await this.#all(applicationId).where('id', 'in', ids).execute();
    const known = new Map(rows.map((row) => [row.id, row]));
    const contacts = ids.flatMap((id) => known.get(id) ?? []);
    return { items: await this.#withAddresses(applicationId, contacts), ...rest };
  }

  /** Returns whether it exists, or that another contact has the external id. */
  update({ applicationId, id }: ContactKey, change: ContactChange, now: Millis) {
    return orTaken(() =>
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
        await writeTerms(trx, contact, await addressesIn(trx, applicationId, [id]));
        return true;
      }),
    );
  }

  /** Returns the address, or what keeps the contact from having it; undefined if there is no such contact. */
  addAddress({ applicationId, id }: ContactKey, address: NewAddress) {
    return orTaken(() =>
      this.db.transaction().execute(async (trx) => {
        const contact = await lockContact(trx, { applicationId, id }, address.createdAt);
        if (!contact) return undefined;
        const others = await addressesIn(trx, applicationId, [id]);
        if (others.length >= MAX_ADDRESSES) throw new Taken('too_many');
        const [addressId = 0] = await this.engine.allocateSequences(trx, 1);
        const row = addressRow({ applicationId, id }, address, addressId);
        await insertAddress(trx, row, 0);
        await writeTerms(trx, contact, [...others, row]);
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
      const { numDeletedRows } = await trx
        .deleteFrom('addresses')
        .where((eb) => eb.and({ applicationId, contactId: id, id: addressId }))
        .executeTakeFirst();
      await writeTerms(trx, contact, await addressesIn(trx, applicationId, [id]));
      return numDeletedRows > 0n;
    });
  }

  /** Deletes a contact with its addresses; returns whether it existed. */
  delete({ applicationId, id }: ContactKey): Promise<boolean> {
    return this.db.transaction().execute(async (trx) => {
      const { numDeletedRows } = await trx
        .deleteFrom('contacts')
        .where((eb) => eb.and({ applicationId, id }))
        .executeTakeFirst();
      const own = { applicationId, contactId: id };
      await trx
        .deleteFrom('addresses')
        .where((eb) => eb.and(own))
        .execute();
      await trx
        .deleteFrom('contactTerms')
        .where((eb) => eb.and(own))
        .execute();
      return numDeletedRows > 0n;
    });
  }

  /**
   * The contact with one of these addresses, which are those of one person; it then gets the others too. A person
   * without a contact becomes one if the application wants that.
   */
  async identify(
    applicationId: Id,
    { addresses, name }: { addresses: readonly NewAddress[]; name: string | null },
    now: Millis,
  ): Promise<Id | undefined> {
    const owned = await this.#owned(applicationId, addresses);
    const [contactId] = owned.map((one) => one.contactId);
    if (contactId === undefined) {
      if (!(await this.createsOnInbound(applicationId))) return undefined;
      const contact = { ...EMPTY, applicationId, name, createdAt: now, updatedAt: now };
      const made = await this.create(contact, addresses);
      // Another node was faster.
      return made instanceof Taken
        ? (await this.#owned(applicationId, addresses))[0]?.contactId
        : made.id;
    }
    const key = { applicationId, id: contactId };
    for (const address of addresses) {
      if (!owned.some((one) => isSame(one, address))) await this.addAddress(key, address);
    }
    await this.#markInbound(owned, now);
    return contactId;
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

  /** Those of these addresses that contacts have, in the given order. */
  async #owned(applicationId: Id, addresses: readonly AddressKey[]): Promise<Address[]> {
    const found: Address[] = [];
    for (const { family, integrationId, address } of addresses) {
      const rows = await this.db
        .selectFrom('addresses')
        .selectAll()
        .where((eb) => eb.and({ applicationId, family, address }))
        .where('integrationId', 'in', [integrationId, ANY_INTEGRATION])
        .execute();
      found.push(...rows);
    }
    return found;
  }

  /** The order of addresses needs no exact times. */
  async #markInbound([used]: readonly Address[], now: Millis): Promise<void> {
    if (!used || now - (used.lastInboundAt ?? 0) < INBOUND_PRECISION_MS) return;
    const { applicationId, family, integrationId, address } = used;
    await this.db
      .updateTable('addresses')
      .set({ lastInboundAt: now })
      .where((eb) => eb.and({ applicationId, family, integrationId, address }))
      .execute();
  }

  /** Whether people become contacts when they first write. */
  async createsOnInbound(applicationId: Id): Promise<boolean> {
    const row = await this.db
      .selectFrom('applications')
      .select('createContacts')
      .where('id', '=', applicationId)
      .executeTakeFirst();
    return row?.createContacts === 1;
  }

  /** Returns whether the application exists. */
  setCreatesOnInbound(applicationId: Id, wanted: boolean, audit?: AuditEntry): Promise<boolean> {
    return this.db.transaction().execute(async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('applications')
        .set({ createContacts: wanted ? 1 : 0 })
        .where('id', '=', applicationId)
        .executeTakeFirst();
      if (numUpdatedRows > 0n) await recordAudit(trx, audit);
      return numUpdatedRows > 0n;
    });
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

const INBOUND_PRECISION_MS = 60_000;

const isSame = (a: AddressKey, b: AddressKey) => a.family === b.family && a.address === b.address;

/** Also keeps others from changing it until the end of the transaction. */
export function lockContact(trx: Kysely<Schema>, key: ContactKey, now: Millis) {
  return trx
    .updateTable('contacts')
    .set({ updatedAt: now })
    .where((eb) => eb.and(key))
    .returningAll()
    .executeTakeFirst();
}

async function insertContact(trx: Kysely<Schema>, contact: Contact): Promise<void> {
  const inserted = await trx
    .insertInto('contacts')
    .values(contact)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!inserted) throw new Taken('external_id');
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
  if (other && other.id !== id) throw new Taken('external_id');
}

async function insertAddress(trx: Kysely<Schema>, row: Address, position: number): Promise<void> {
  const inserted = await trx
    .insertInto('addresses')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!inserted) throw new Taken('address', position);
}

function addressRow({ applicationId, id: contactId }: ContactKey, address: NewAddress, id: Id) {
  return { ...address, applicationId, id, contactId, lastInboundAt: null, lastOutboundAt: null };
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
