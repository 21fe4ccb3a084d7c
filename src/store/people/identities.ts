import type { AuditEntry } from '../../model/audit.ts';
import type { Id } from '../../model/id.ts';
import { conflictEvent, mergedEvent } from '../../model/people/contact-event.ts';
import {
  ANY_INTEGRATION,
  type Address,
  type AddressKey,
  type AddressState,
  type Attestation,
  type Contact,
  type NewAddress,
} from '../../model/people/contact.ts';
import { mergeOrder } from '../../model/people/merge.ts';
import type { Millis } from '../../model/timestamp.ts';
import { recordAudit } from '../accounts/audit.ts';
import type { Engine } from '../engine.ts';
import { appendEvents } from '../feed/events.ts';
import { Repository } from '../repository.ts';
import { ContactRefusal } from './contact-refusal.ts';
import { type Contacts, EMPTY, type Person, addressesIn } from './contacts.ts';
import { areSeparated, lockPair, mergeInto, separation } from './merges.ts';

/** A person as a vendor reports them. */
interface ReportedPerson {
  /** All addresses of one person; the first is the one in use. */
  addresses: readonly NewAddress[];
  name: string | null;
  /** The application's own id, if it signed it. */
  externalId?: string;
  /** Addresses that the person no longer has. They are kept, but not written to. */
  former?: readonly NewAddress[];
}

const INBOUND_PRECISION_MS = 60_000;

/** Finds the contacts of people by what vendors report about them. */
export class Identities extends Repository {
  readonly #contacts: Contacts;

  constructor(engine: Engine, contacts: Contacts) {
    super(engine);
    this.#contacts = contacts;
  }

  /**
   * The contact of a person, who then has all of the reported addresses. Several contacts with them are merged, as far as
   * that is possible. A person without a contact becomes one if the application wants that.
   */
  async identify(
    applicationId: Id,
    person: ReportedPerson,
    now: Millis,
  ): Promise<{ id: Id; isChanged: boolean } | undefined> {
    const { addresses, former = [] } = person;
    const owned = await this.#owned(applicationId, [...addresses, ...former]);
    const named = await this.#named(applicationId, person);
    const owners = [...new Set([...named, ...owned.map(({ contactId }) => contactId)])];
    const [first, ...others] = owners;
    if (first === undefined) return this.#create(applicationId, person, now);
    const evidence = { owned, externalId: person.externalId };
    let id = first;
    let isChanged = false;
    for (const other of others) {
      const pair = { applicationId, id, otherId: other };
      const merged = await this.#mergeReported(pair, evidence, now);
      if (merged === undefined) continue;
      id = merged.id;
      isChanged ||= merged.isChanged;
    }
    const key = { applicationId, id };
    const added = [...addresses, ...former].filter(
      (address) => !owned.some((one) => isSame(one, address)),
    );
    if (added.length > 0) await this.#attest(key, added, evidence);
    await this.#setState(key, former, 'disabled');
    // The person may have it again.
    if (former.length > 0) await this.#setState(key, addresses, 'active');
    if (former.length === 0) await this.#markInbound(owned, now);
    return { id, isChanged };
  }

  async #create(applicationId: Id, person: ReportedPerson, now: Millis) {
    const { addresses, former = [], name, externalId = null } = person;
    if (!(await this.createsOnInbound(applicationId))) return undefined;
    const contact = { ...EMPTY, applicationId, name, externalId, createdAt: now, updatedAt: now };
    const made = await this.#contacts.create(contact, [...addresses, ...former]);
    if (!(made instanceof ContactRefusal)) return { id: made.id, isChanged: true };
    // Another node was faster.
    const [owner] = await this.#owned(applicationId, addresses);
    return owner && { id: owner.contactId, isChanged: false };
  }

  /** The contact with the external id that the application signed. */
  async #named(applicationId: Id, { externalId }: ReportedPerson): Promise<Id[]> {
    if (externalId === undefined) return [];
    const found = await this.#contacts.byExternalId(applicationId, externalId);
    return found ? [found.id] : [];
  }

  /** Adds addresses that the vendor reported together with one of the contact. */
  async #attest(
    key: Pick<Contact, 'applicationId' | 'id'>,
    added: readonly NewAddress[],
    evidence: ReportEvidence,
  ): Promise<void> {
    const person = await this.#contacts.get(key.applicationId, key.id);
    const attestation = person && attestationOf(person, evidence);
    // Unmerged meanwhile; the next report finds the right contact.
    if (!attestation) return;
    for (const address of added) await this.#contacts.addAddress(key, address, { attestation });
  }

  /**
   * Merges two contacts that are one person; returns the one that stays. If the application says that they are two, one
   * event reports the conflict.
   */
  #mergeReported(
    { applicationId, id, otherId }: { applicationId: Id; id: Id; otherId: Id },
    evidence: ReportEvidence,
    now: Millis,
  ) {
    return this.db.transaction().execute(async (trx) => {
      // Before anything else is read: the two may be unmerged meanwhile.
      const held = await lockPair(trx, { applicationId, id, otherId });
      if (!held) return undefined;
      const [one, other] = held;
      const both = await addressesIn(trx, applicationId, [id, otherId]);
      const attestedBy = (contact: Contact) => {
        const addresses = both.filter(({ contactId }) => contactId === contact.id);
        return attestationOf({ ...contact, addresses }, evidence);
      };
      const [byOne, byOther] = [attestedBy(one), attestedBy(other)];
      if (!byOne || !byOther) return undefined;
      const pair = separation({ applicationId, id, otherId });
      const order = (await areSeparated(trx, pair)) ? undefined : mergeOrder(one, other);
      if (order) {
        const [stays, goes] = order;
        const ids = { applicationId, id: stays.id, otherId: goes.id };
        const attestation = stays === one ? byOne : byOther;
        const fault = await mergeInto(trx, ids, { evidence: 'vendor', ...attestation }, now);
        if (fault === undefined) {
          await appendEvents(trx, [mergedEvent(stays, goes.id, 'vendor', now)]);
          return { id: stays.id, isChanged: true };
        }
        if (fault === 'missing') return undefined;
      }
      const isFirstReport = await trx
        .insertInto('contactSeparations')
        .values({ ...pair, reportedAt: now })
        .onConflict((conflict) =>
          conflict
            .columns(['applicationId', 'firstId', 'secondId'])
            .doUpdateSet({ reportedAt: now })
            .where('contactSeparations.reportedAt', 'is', null),
        )
        .returning('firstId')
        .executeTakeFirst();
      if (!isFirstReport) return { id, isChanged: false };
      await appendEvents(trx, [conflictEvent({ applicationId, id }, otherId, now)]);
      return { id, isChanged: true };
    });
  }

  /** The ones among these addresses that belong to contacts, in the given order. */
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

  /** Messages no longer go to addresses that the person gave up, but to those that they have now. */
  async #setState(
    { applicationId, id: contactId }: Pick<Contact, 'applicationId' | 'id'>,
    addresses: readonly AddressKey[],
    state: AddressState,
  ): Promise<void> {
    for (const { family, integrationId, address } of addresses) {
      await this.db
        .updateTable('addresses')
        .set({ state })
        .where((eb) => eb.and({ applicationId, family, integrationId, address, contactId }))
        .execute();
    }
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
}

/** What a report says about contacts that exist: addresses that they had when it was read, and a signed id. */
interface ReportEvidence {
  owned: readonly Address[];
  externalId: string | undefined;
}

/** The evidence that the report is about this contact; undefined if it is not. */
function attestationOf(
  { externalId, addresses }: Person,
  evidence: ReportEvidence,
): Attestation | undefined {
  if (evidence.externalId !== undefined && externalId === evidence.externalId) {
    return { attestedBy: null, signedId: externalId };
  }
  const known = evidence.owned.find(({ id }) => addresses.some((one) => one.id === id));
  return known && { attestedBy: known.id, signedId: null };
}

const isSame = (a: AddressKey, b: AddressKey) => a.family === b.family && a.address === b.address;
