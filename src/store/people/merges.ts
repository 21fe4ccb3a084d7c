import type { Kysely } from 'kysely';

import type { AuditEntry } from '../../model/audit.ts';
import type { Id } from '../../model/id.ts';
import { mergedEvent, unmergedEvent } from '../../model/people/contact-event.ts';
import {
  type Attestation,
  type Contact,
  type ContactChange,
  MAX_ADDRESSES,
  MAX_FIELDS,
  UNATTESTED,
} from '../../model/people/contact.ts';
import {
  type ContactMerge,
  type MergeEvidence,
  type MergedContact,
  leavingWith,
  takenFrom,
  withTaken,
  withoutTaken,
} from '../../model/people/merge.ts';
import type { Millis } from '../../model/timestamp.ts';
import { recordAudit } from '../accounts/audit.ts';
import { appendEvents } from '../feed/events.ts';
import { type RecordOf, recordAnswer } from '../messages/idempotency.ts';
import { Repository } from '../repository.ts';
import type { Schema } from '../schema.ts';
import { type ContactRefusal, orRefusal } from './contact-refusal.ts';
import { type Person, addressesIn, insertContact } from './contacts.ts';
import { writeSearchTerms } from './write-search-terms.ts';

/** Why two contacts were not merged. */
export type MergeFault = 'missing' | 'both_named' | 'too_many_addresses' | 'too_many_fields';

interface Pair {
  applicationId: Id;
  /** The contact that stays, and the one that becomes part of it. */
  id: Id;
  otherId: Id;
}

/** What is stored with a merge that was requested. */
interface Request {
  audit?: AuditEntry | undefined;
  /** The stored answer shows the contact that the call returns. */
  record?: RecordOf<Person>;
}

/** Contacts that became part of others, and pairs of contacts that must not be merged. */
export class Merges extends Repository {
  /** Makes another contact part of one. Returns the merged contact, or why the two cannot be merged. */
  merge(pair: Pair, now: Millis, request: Request = {}): Promise<MergeFault | Person> {
    return this.db.transaction().execute(async (trx) => {
      const fault = await mergeInto(trx, pair, { evidence: 'api', ...UNATTESTED }, now);
      if (fault) return fault;
      const { audit, record } = request;
      // The application now says that they are one person.
      await removeSeparation(trx, pair);
      await recordAudit(trx, audit);
      await appendEvents(trx, [eventOf(pair, 'api', now)]);
      const person = await readPerson(trx, pair);
      await recordAnswer(trx, record?.(person));
      return person;
    });
  }

  /**
   * Takes a merged contact out of another one again, with the fields and addresses that it brought, and with the
   * addresses and contacts that vendors have since attested by them. Vendors cannot merge the two again. Returns the
   * contact; undefined if there was no such merge.
   */
  unmerge(
    pair: Pair,
    now: Millis,
    request: Request = {},
  ): Promise<Person | ContactRefusal | undefined> {
    const { applicationId, id, otherId } = pair;
    return orRefusal(() =>
      this.db.transaction().execute(async (trx) => {
        const contact = await lockContact(trx, { applicationId, id });
        const gone = await trx
          .deleteFrom('contactMerges')
          .where((eb) => eb.and({ applicationId, mergedId: otherId, contactId: id }))
          .returning('merged')
          .executeTakeFirst();
        if (!contact || !gone) return undefined;
        const merged = JSON.parse(gone.merged) as MergedContact;
        const inner = await mergesInto(trx, { applicationId, id });
        const addresses = await addressesIn(trx, applicationId, [id]);
        const { addressIds, mergedIds } = leavingWith(merged, addresses, inner);
        let kept: Contact = { ...contact, ...withoutTaken(contact, merged.taken), updatedAt: now };
        let back: Contact = { ...merged.contact, updatedAt: now };
        for (const part of inner.filter((one) => mergedIds.has(one.contact.id))) {
          const key = { applicationId, mergedId: part.contact.id };
          if (merged.mergedIds.includes(part.contact.id)) {
            await moveMerge(trx, key, { contactId: otherId });
            continue;
          }
          // Merged since: its fields were given to the other contact.
          kept = changedBy(kept, withoutTaken(kept, part.taken));
          const taken = takenFrom(back, part.contact);
          back = changedBy(back, withTaken(back, taken));
          await moveMerge(trx, key, { contactId: otherId, merged: mergedJson({ ...part, taken }) });
        }
        await write(trx, kept);
        await insertContact(trx, back);
        if (addressIds.size > 0) {
          await trx
            .updateTable('addresses')
            .set({ contactId: otherId })
            .where((eb) => eb.and({ applicationId, contactId: id }))
            .where('id', 'in', [...addressIds])
            .execute();
        }
        for (const one of [kept, back]) {
          await writeSearchTerms(trx, one, await addressesIn(trx, applicationId, [one.id]));
        }
        await trx
          .insertInto('contactSeparations')
          .values({ ...separation(pair), reportedAt: null })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
        await recordAudit(trx, request.audit);
        await appendEvents(trx, [unmergedEvent({ applicationId, id }, otherId, now)]);
        const person = await readPerson(trx, { applicationId, id: otherId });
        await recordAnswer(trx, request.record?.(person));
        return person;
      }),
    );
  }

  /** The contacts that are part of this one, the newest merge first; all of them without a limit. */
  async list(
    applicationId: Id,
    contactId: Id,
    limit?: number,
  ): Promise<(ContactMerge & MergedContact)[]> {
    const merges = this.db
      .selectFrom('contactMerges')
      .selectAll()
      .where((eb) => eb.and({ applicationId, contactId }))
      .orderBy('createdAt', 'desc')
      .orderBy('mergedId', 'desc');
    const rows = await (limit === undefined ? merges : merges.limit(limit)).execute();
    return rows.map((row) => Object.assign(row, JSON.parse(row.merged) as MergedContact));
  }

  /** The contact that a merged one is part of. */
  async contactOf(applicationId: Id, mergedId: Id): Promise<Id | undefined> {
    const row = await this.db
      .selectFrom('contactMerges')
      .select('contactId')
      .where((eb) => eb.and({ applicationId, mergedId }))
      .executeTakeFirst();
    return row?.contactId;
  }
}

const eventOf = ({ applicationId, id, otherId }: Pair, evidence: MergeEvidence, now: Millis) =>
  mergedEvent({ applicationId, id }, otherId, evidence, now);

/** In a transaction, without the event. */
export async function mergeInto(
  trx: Kysely<Schema>,
  { applicationId, id, otherId }: Pair,
  evidence: Attestation & { evidence: MergeEvidence },
  now: Millis,
): Promise<MergeFault | undefined> {
  const pair = await lockPair(trx, { applicationId, id, otherId });
  if (!pair) return 'missing';
  const [contact, other] = pair;
  if (contact.externalId !== null && other.externalId !== null) return 'both_named';
  const [addresses, moved] = [
    await addressesIn(trx, applicationId, [id]),
    await addressesIn(trx, applicationId, [otherId]),
  ];
  if (addresses.length + moved.length > MAX_ADDRESSES) return 'too_many_addresses';
  const taken = takenFrom(contact, other);
  const changed: Contact = { ...contact, ...withTaken(contact, taken), updatedAt: now };
  const fields = JSON.parse(changed.fields ?? '{}') as object;
  if (Object.keys(fields).length > MAX_FIELDS) return 'too_many_fields';
  await trx
    .deleteFrom('contacts')
    .where((eb) => eb.and({ applicationId, id: otherId }))
    .execute();
  await write(trx, changed);
  const inner = await trx
    .updateTable('contactMerges')
    .set({ contactId: id })
    .where((eb) => eb.and({ applicationId, contactId: otherId }))
    .returning('mergedId')
    .execute();
  await trx
    .updateTable('addresses')
    .set({ contactId: id })
    .where((eb) => eb.and({ applicationId, contactId: otherId }))
    .execute();
  await writeSearchTerms(trx, { ...other, name: null, externalId: null }, []);
  await writeSearchTerms(trx, changed, [...addresses, ...moved]);
  const merged: MergedContact = {
    contact: other,
    taken,
    addressIds: moved.map((address) => address.id),
    mergedIds: inner.map(({ mergedId }) => mergedId),
  };
  await trx
    .insertInto('contactMerges')
    .values({
      applicationId,
      mergedId: otherId,
      contactId: id,
      ...evidence,
      merged: mergedJson(merged),
      createdAt: now,
    })
    .execute();
  return undefined;
}

const changedBy = (contact: Contact, change: ContactChange): Contact => ({ ...contact, ...change });

const mergedJson = ({ contact, taken, addressIds, mergedIds }: MergedContact) =>
  JSON.stringify({ contact, taken, addressIds, mergedIds } satisfies MergedContact);

/** The contacts that are part of one, the oldest merge first. */
async function mergesInto(
  trx: Kysely<Schema>,
  { applicationId, id }: Pick<Contact, 'applicationId' | 'id'>,
): Promise<(MergedContact & Attestation)[]> {
  const rows = await trx
    .selectFrom('contactMerges')
    .select(['merged', 'attestedBy', 'signedId'])
    .where((eb) => eb.and({ applicationId, contactId: id }))
    .orderBy('createdAt')
    .orderBy('mergedId')
    .execute();
  return rows.map(({ merged, ...attestation }) =>
    Object.assign(JSON.parse(merged) as MergedContact, attestation),
  );
}

async function moveMerge(
  trx: Kysely<Schema>,
  key: Pick<ContactMerge, 'applicationId' | 'mergedId'>,
  change: Partial<Pick<ContactMerge, 'contactId' | 'merged'>>,
): Promise<void> {
  await trx
    .updateTable('contactMerges')
    .set(change)
    .where((eb) => eb.and(key))
    .execute();
}

async function readPerson(
  trx: Kysely<Schema>,
  { applicationId, id }: Pick<Contact, 'applicationId' | 'id'>,
): Promise<Person> {
  const contact = await trx
    .selectFrom('contacts')
    .selectAll()
    .where((eb) => eb.and({ applicationId, id }))
    .executeTakeFirstOrThrow();
  return { ...contact, addresses: await addressesIn(trx, applicationId, [id]) };
}

/** Keeps others from changing the two until the end of the transaction; undefined if one is missing. */
export async function lockPair(
  trx: Kysely<Schema>,
  { applicationId, id, otherId }: Pair,
): Promise<[contact: Contact, other: Contact] | undefined> {
  // In one order, so that two nodes cannot deadlock.
  const [low, high] = [Math.min(id, otherId), Math.max(id, otherId)];
  const first = await lockContact(trx, { applicationId, id: low });
  const second = await lockContact(trx, { applicationId, id: high });
  if (!first || !second) return undefined;
  return id === low ? [first, second] : [second, first];
}

/** Keeps others from changing it until the end of the transaction. */
function lockContact(trx: Kysely<Schema>, key: Pick<Contact, 'applicationId' | 'id'>) {
  return trx
    .updateTable('contacts')
    .set((eb) => ({ updatedAt: eb.ref('updatedAt') }))
    .where((eb) => eb.and(key))
    .returningAll()
    .executeTakeFirst();
}

async function write(trx: Kysely<Schema>, { applicationId, id, ...change }: Contact) {
  await trx
    .updateTable('contacts')
    .set(change)
    .where((eb) => eb.and({ applicationId, id }))
    .execute();
}

/** The key of a pair in either order. */
export const separation = ({ applicationId, id, otherId }: Pair) => ({
  applicationId,
  firstId: Math.min(id, otherId),
  secondId: Math.max(id, otherId),
});

/** Whether the two were taken apart, or contacts that are part of them. */
export async function areSeparated(
  trx: Kysely<Schema>,
  { applicationId, firstId, secondId }: ReturnType<typeof separation>,
): Promise<boolean> {
  const merged = await trx
    .selectFrom('contactMerges')
    .select(['mergedId', 'contactId'])
    .where('applicationId', '=', applicationId)
    .where('contactId', 'in', [firstId, secondId])
    .execute();
  const withParts = (id: Id) => [
    id,
    ...merged.flatMap(({ mergedId, contactId }) => (contactId === id ? [mergedId] : [])),
  ];
  const [ones, others] = [withParts(firstId), withParts(secondId)];
  const found = await trx
    .selectFrom('contactSeparations')
    .select('firstId')
    .where('applicationId', '=', applicationId)
    .where((eb) =>
      eb.or([
        eb.and([eb('firstId', 'in', ones), eb('secondId', 'in', others)]),
        eb.and([eb('firstId', 'in', others), eb('secondId', 'in', ones)]),
      ]),
    )
    .executeTakeFirst();
  return found !== undefined;
}

async function removeSeparation(trx: Kysely<Schema>, pair: Pair): Promise<void> {
  await trx
    .deleteFrom('contactSeparations')
    .where((eb) => eb.and(separation(pair)))
    .execute();
}
