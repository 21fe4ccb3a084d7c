import type { Contact } from '../api/types.ts';

type NamedContact = Pick<Contact, 'id' | 'name' | 'external_id' | 'addresses'>;

/** The name, else the external id, else an address. */
export const contactName = ({
  id,
  name,
  external_id: externalId,
  addresses,
}: NamedContact): string => name ?? externalId ?? addresses[0]?.address ?? `Contact ${id}`;
