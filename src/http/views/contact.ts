import { type Address, ANY_INTEGRATION } from '../../model/people/contact.ts';
import { type Millis, timestamp } from '../../model/timestamp.ts';
import type { Person } from '../../store/people/contacts.ts';
import { dated } from './views.ts';

const optionalTimestamp = (at: Millis | null) => (at === null ? null : timestamp(at));

export const addressView = (address: Address) => ({
  id: address.id,
  created_at: timestamp(address.createdAt),
  channel: address.family,
  integration_id: address.integrationId === ANY_INTEGRATION ? null : address.integrationId,
  address: address.address,
  label: address.label,
  preference: address.preference,
  state: address.state,
  evidence: address.evidence,
  attested_by: address.attestedBy,
  signed_id: address.signedId,
  last_inbound_at: optionalTimestamp(address.lastInboundAt),
});

export const contactView = (person: Person) => ({
  ...dated(person),
  external_id: person.externalId,
  name: person.name,
  locale: person.locale,
  timezone: person.timezone,
  fields: person.fields === null ? {} : (JSON.parse(person.fields) as unknown),
  addresses: person.addresses.map(addressView),
});
