import type { Static } from 'typebox';

import { readAddress } from '../accept/contacts/address.ts';
import { omitUndefined } from '../lib/json/omit-undefined.ts';
import { isZone } from '../lib/time/zone.ts';
import type { Id } from '../model/id.ts';
import {
  ANY_INTEGRATION,
  type AddressEvidence,
  DEFAULT_PREFERENCE,
  type NewAddress,
} from '../model/people/contact.ts';
import { Problem, invalidFields } from '../model/problem.ts';
import type { Millis } from '../model/timestamp.ts';
import type { ContactChange } from '../store/people/contacts.ts';
import type { Taken } from '../store/people/taken.ts';
import type { ContactUpdateSchema, NewAddressSchema } from './openapi/contact-schemas.ts';

/* Contacts and addresses that an application gives. */

export type GivenAddress = Static<typeof NewAddressSchema>;

/** Throws a Problem if a field is invalid. Absent fields stay absent. */
export function readContact(given: Static<typeof ContactUpdateSchema>): ContactChange {
  const { external_id: externalId, name, locale, timezone, fields } = given;
  if (timezone && !isZone(timezone)) {
    throw invalidFields({ pointer: '/timezone', detail: 'must be an IANA time zone' });
  }
  return omitUndefined({
    externalId,
    name,
    locale,
    timezone,
    fields: fields && (Object.keys(fields).length === 0 ? null : JSON.stringify(fields)),
  });
}

/** `integrationIds` are those of the application. */
export function readNewAddress(
  given: GivenAddress,
  pointer: string,
  integrationIds: ReadonlySet<Id>,
  { evidence, now }: { evidence: AddressEvidence; now: Millis },
): NewAddress {
  const read = readAddress(given.channel, given.address);
  if ('field' in read) {
    throw invalidFields({ pointer: `${pointer}/${read.field}`, detail: read.detail });
  }
  const { integration_id: only, label = null, preference = DEFAULT_PREFERENCE } = given;
  if (only && !integrationIds.has(only)) {
    const detail = 'is not an integration of the application';
    throw invalidFields({ pointer: `${pointer}/integration_id`, detail });
  }
  return {
    ...read,
    integrationId: only ?? ANY_INTEGRATION,
    label,
    preference,
    state: given.state ?? 'active',
    evidence,
    createdAt: now,
  };
}

export function takenProblem({ what, position }: Taken, pointer = ''): Problem {
  switch (what) {
    case 'external_id': {
      const detail = 'belongs to another contact';
      return new Problem('external_id_taken', `the external id ${detail}`, {
        errors: [{ pointer: '/external_id', detail }],
      });
    }
    case 'address': {
      const detail = 'belongs to a contact already';
      const at = pointer === '' ? '/address' : `${pointer}/${position}/address`;
      return new Problem('address_taken', `the address ${detail}`, {
        errors: [{ pointer: at, detail }],
      });
    }
    case 'too_many':
      return new Problem('too_many_addresses', 'the contact has too many addresses');
  }
}
