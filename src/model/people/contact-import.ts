import type { Id } from '../id.ts';
import type { Millis } from '../timestamp.ts';
import {
  type Address,
  type AddressKey,
  type Contact,
  type ContactChange,
  MAX_ADDRESSES,
  MAX_FIELDS,
  type NewAddress,
} from './contact.ts';

/*
 * receiving → running → done
 *    │           └────→ canceled
 *    └→ deleted
 */
export const IMPORT_STATES = ['receiving', 'running', 'done', 'canceled'] as const;

/** A file of contacts, which is stored in blocks of rows and then imported block by block. */
export interface ContactImport {
  applicationId: Id;
  id: Id;
  state: (typeof IMPORT_STATES)[number];
  /** Rows of the file. */
  total: number;
  /** Rows so far, by result. A row that changes nothing is `unchanged`. */
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  /** Number of blocks, and the next one to import. */
  blocks: number;
  nextBlock: number;
  /** The node that works on it, as long as that node is alive. */
  node: string | null;
  createdAt: Millis;
  updatedAt: Millis;
  finishedAt: Millis | null;
}

/** A row of a file, checked. Absent fields keep their values. */
export interface ImportRow {
  line: number;
  contact: ContactChange;
  addresses: NewAddress[];
}

/** A row that was skipped. */
export interface ImportError {
  line: number;
  detail: string;
}

/** A contact that rows of a block are about, as it is after the block. It has no id if it is new. */
export interface ImportedPerson {
  contact: Omit<Contact, 'id'> & { id: Id | undefined };
  addresses: AddressKey[];
  added: NewAddress[];
  isChanged: boolean;
}

interface ImportPlan {
  people: ImportedPerson[];
  created: number;
  updated: number;
  unchanged: number;
  errors: ImportError[];
}

/**
 * The changes that the rows of a block make, in their order. A row is about the contact with its external id or with one of its
 * addresses: the file says that they are one person. A row that would join two contacts is an error. `known` are all
 * contacts with an external id or an address of these rows.
 */
export function planImport(
  applicationId: Id,
  known: readonly (Contact & { addresses: readonly Address[] })[],
  rows: readonly ImportRow[],
  now: Millis,
): ImportPlan {
  const byExternalId = new Map<string, ImportedPerson>();
  const byAddress = new Map<string, ImportedPerson>();
  const people: ImportedPerson[] = [];
  const register = (person: ImportedPerson, addresses: readonly AddressKey[]) => {
    const { externalId } = person.contact;
    if (externalId !== null) byExternalId.set(externalId, person);
    for (const address of addresses) byAddress.set(keyOf(address), person);
  };
  for (const { addresses, ...contact } of known) {
    const person = { contact, addresses: [...addresses], added: [], isChanged: false };
    register(person, addresses);
    people.push(person);
  }
  const plan: ImportPlan = { people, created: 0, updated: 0, unchanged: 0, errors: [] };
  for (const { line, contact: given, addresses } of rows) {
    const { externalId } = given;
    const owners = new Set(addresses.flatMap((address) => byAddress.get(keyOf(address)) ?? []));
    const named = externalId ? byExternalId.get(externalId) : undefined;
    if (named) owners.add(named);
    const [owner, ...others] = owners;
    const person = owner ?? newPerson(applicationId, now);
    const fault = others.length > 0 ? SEVERAL : faultOf(person, given, addresses);
    if (fault !== undefined) {
      plan.errors.push({ line, detail: fault });
      continue;
    }
    const isChanged = apply(person, given, addresses, now);
    register(person, person.added);
    if (!owner) {
      people.push(person);
      plan.created++;
    } else if (isChanged) plan.updated++;
    else plan.unchanged++;
  }
  return plan;
}

const SEVERAL = 'its external id and addresses belong to several contacts';

const newPerson = (applicationId: Id, now: Millis): ImportedPerson => ({
  contact: {
    applicationId,
    id: undefined,
    externalId: null,
    name: null,
    locale: null,
    timezone: null,
    fields: null,
    createdAt: now,
    updatedAt: now,
  },
  addresses: [],
  added: [],
  isChanged: false,
});

const keyOf = ({ family, integrationId, address }: AddressKey) =>
  `${integrationId} ${family} ${address}`;

const missingOf = ({ addresses }: ImportedPerson, given: readonly NewAddress[]): NewAddress[] => {
  const own = new Set(addresses.map(keyOf));
  const missing = new Map(given.map((address) => [keyOf(address), address]));
  return [...missing].flatMap(([key, address]) => (own.has(key) ? [] : [address]));
};

/** Why the person cannot have these fields and addresses. */
function faultOf(
  person: ImportedPerson,
  { externalId, fields }: ContactChange,
  given: readonly NewAddress[],
): string | undefined {
  const { contact, addresses } = person;
  if (externalId && contact.externalId !== null && contact.externalId !== externalId) {
    return 'an address belongs to a contact with another external id';
  }
  if (addresses.length + missingOf(person, given).length > MAX_ADDRESSES) {
    return `a contact has at most ${MAX_ADDRESSES} addresses`;
  }
  if (Object.keys(merged(contact.fields, fields)).length > MAX_FIELDS) {
    return `a contact has at most ${MAX_FIELDS} fields`;
  }
  return undefined;
}

/** Returns whether anything changed. */
function apply(
  person: ImportedPerson,
  { fields, ...given }: ContactChange,
  addresses: readonly NewAddress[],
  now: Millis,
): boolean {
  const { contact } = person;
  const before = JSON.stringify(contact);
  const missing = missingOf(person, addresses);
  for (const [name, value] of Object.entries(given)) {
    if (value !== null) Object.assign(contact, { [name]: value });
  }
  if (fields) contact.fields = JSON.stringify(merged(contact.fields, fields));
  person.addresses.push(...missing);
  person.added.push(...missing);
  if (missing.length === 0 && JSON.stringify(contact) === before) return false;
  contact.updatedAt = now;
  person.isChanged = true;
  return true;
}

/** Own fields of the row are set; others stay. */
const merged = (own: string | null, given: string | null | undefined): object => ({
  ...(own !== null && (JSON.parse(own) as object)),
  ...(given && (JSON.parse(given) as object)),
});
