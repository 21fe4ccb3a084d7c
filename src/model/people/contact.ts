import type { Id } from '../id.ts';
import type { Millis } from '../timestamp.ts';

/** A person, with their addresses on all channels. */
export interface Contact {
  applicationId: Id;
  id: Id;
  /** The application's own id for the person. */
  externalId: string | null;
  name: string | null;
  /** A BCP 47 tag. */
  locale: string | null;
  /** An IANA zone. */
  timezone: string | null;
  /** The application's own fields, as JSON; null if there are none. */
  fields: string | null;
  createdAt: Millis;
  updatedAt: Millis;
}

/** `disabled` addresses are kept, but not written to. */
export const ADDRESS_STATES = ['active', 'disabled'] as const;

export type AddressState = (typeof ADDRESS_STATES)[number];

/**
 * How we know that the address is the person's: from a request, an import, a message from the address, or
 * the vendor, which reported it as another address of the same person.
 */
export const ADDRESS_EVIDENCE = ['api', 'import', 'inbound', 'vendor'] as const;

export type AddressEvidence = (typeof ADDRESS_EVIDENCE)[number];

/**
 * How a vendor attested that an address belongs to a contact: it reported the address together with another one of the
 * contact (`attestedBy`, its id), or the application signed the external id of the contact (`signedId`).
 */
export interface Attestation {
  attestedBy: Id | null;
  signedId: string | null;
}

/** Nobody attested it: it is from a request, an import, or a first message. */
export const UNATTESTED: Attestation = { attestedBy: null, signedId: null };

export interface Address extends Attestation {
  applicationId: Id;
  id: Id;
  contactId: Id;
  /** The family of channels, such as `sms`; see channels/consent-address.ts. */
  family: string;
  /** The only integration that can use it, or ANY_INTEGRATION. */
  integrationId: Id;
  /** In the form of its family. */
  address: string;
  label: string | null;
  /** The lowest is used first. */
  preference: number;
  state: AddressState;
  evidence: AddressEvidence;
  lastInboundAt: Millis | null;
  createdAt: Millis;
}

/** `integrationId` of an address that every integration of its family can use, such as a phone number. */
export const ANY_INTEGRATION = 0;

export const DEFAULT_PREFERENCE = 100;

/** Of one contact. */
export const MAX_ADDRESSES = 50;

/** The application's own fields of one contact. */
export const MAX_FIELDS = 50;

/** Identifies an address within an application. */
export type AddressKey = Pick<Address, 'family' | 'integrationId' | 'address'>;

export type NewContact = Omit<Contact, 'id'>;

/** The changeable fields of a contact. Absent ones keep their values. */
export type ContactChange = Partial<
  Pick<Contact, 'externalId' | 'name' | 'locale' | 'timezone' | 'fields'>
>;

export type NewAddress = Omit<
  Address,
  'id' | 'contactId' | 'applicationId' | 'lastInboundAt' | keyof Attestation
>;
