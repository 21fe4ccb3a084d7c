import type { Id } from '../id.ts';
import type { Millis } from '../timestamp.ts';
import type { Address, Attestation, Contact, ContactChange } from './contact.ts';

/* Two contacts that are one person. */

/** Why contacts were merged: a request, or a vendor that reports their addresses as those of one person. */
export const MERGE_EVIDENCE = ['api', 'vendor'] as const;

export type MergeEvidence = (typeof MERGE_EVIDENCE)[number];

/** A contact that is now part of another. The attestation is by an address of that other contact. */
export interface ContactMerge extends Attestation {
  applicationId: Id;
  /** The contact that no longer exists; unmerging brings it back under this id. */
  mergedId: Id;
  contactId: Id;
  evidence: MergeEvidence;
  /** A MergedContact, as JSON. */
  merged: string;
  createdAt: Millis;
}

/** The data that unmerging needs. */
export interface MergedContact {
  contact: Contact;
  /** The fields that the other contact took over. */
  taken: ContactChange;
  addressIds: Id[];
  /** Contacts that had been merged into this one. */
  mergedIds: Id[];
}

const TEXTS = ['externalId', 'name', 'locale', 'timezone'] as const;

type Fields = Record<string, unknown>;

const read = (fields: string | null | undefined): Fields =>
  fields ? (JSON.parse(fields) as Fields) : {};

const write = (fields: Fields): string | null =>
  Object.keys(fields).length === 0 ? null : JSON.stringify(fields);

/** The fields that a contact takes over from one merged into it: only those it lacks. */
export function takenFrom(contact: Contact, other: Contact): ContactChange {
  const taken: ContactChange = {};
  for (const name of TEXTS) {
    if (contact[name] === null && other[name] !== null) taken[name] = other[name];
  }
  const own = read(contact.fields);
  const fields = write(
    Object.fromEntries(
      Object.entries(read(other.fields)).filter(([name]) => !Object.hasOwn(own, name)),
    ),
  );
  return fields === null ? taken : { ...taken, fields };
}

/** The fields of a contact with those that it took over. */
export const withTaken = (
  contact: Contact,
  { fields, ...texts }: ContactChange,
): ContactChange => ({
  ...texts,
  ...(fields && { fields: write({ ...read(contact.fields), ...read(fields) }) }),
});

/** Gives back what a contact took over, unless it was changed since. */
export function withoutTaken(contact: Contact, taken: ContactChange): ContactChange {
  const change: ContactChange = {};
  for (const name of TEXTS) {
    if (taken[name] !== undefined && contact[name] === taken[name]) change[name] = null;
  }
  if (!taken.fields) return change;
  const given = read(taken.fields);
  const kept = Object.entries(read(contact.fields)).filter(
    ([name, value]) => !Object.hasOwn(given, name) || given[name] !== value,
  );
  return { ...change, fields: write(Object.fromEntries(kept)) };
}

/**
 * The addresses and merges that leave with a contact when it is unmerged: those it brought, and those that vendors have
 * since attested by its addresses, directly or in several steps.
 */
export function leavingWith(
  merged: MergedContact,
  addresses: readonly (Pick<Address, 'id'> & Attestation)[],
  merges: readonly (MergedContact & Attestation)[],
): { addressIds: Set<Id>; mergedIds: Set<Id> } {
  const { externalId } = merged.contact;
  const addressIds = new Set(merged.addressIds);
  const mergedIds = new Set(merged.mergedIds);
  const isAttested = ({ attestedBy, signedId }: Attestation) =>
    (attestedBy !== null && addressIds.has(attestedBy)) ||
    (signedId !== null && signedId === externalId);
  for (let before = -1; before !== addressIds.size + mergedIds.size;) {
    before = addressIds.size + mergedIds.size;
    for (const address of addresses) if (isAttested(address)) addressIds.add(address.id);
    for (const inner of merges) {
      if (!isAttested(inner)) continue;
      mergedIds.add(inner.contact.id);
      for (const id of inner.addressIds) addressIds.add(id);
    }
  }
  return { addressIds, mergedIds };
}

/**
 * The order in which to merge two contacts that a vendor reports as one person: the one with an external id stays, or
 * else the older. Undefined if both have an external id: for the application, they are two people.
 */
export function mergeOrder(a: Contact, b: Contact): [stays: Contact, goes: Contact] | undefined {
  if (a.externalId !== null && b.externalId !== null) return undefined;
  if ((a.externalId === null) === (b.externalId === null)) return a.id < b.id ? [a, b] : [b, a];
  return a.externalId === null ? [b, a] : [a, b];
}
