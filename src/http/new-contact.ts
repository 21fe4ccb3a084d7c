import type { Static } from 'typebox';

import { readAddress, recipientFor } from '../accept/contacts/address.ts';
import { findChannel } from '../channels/index.ts';
import { omitUndefined } from '../lib/json/omit-undefined.ts';
import { isZone } from '../lib/time/zone.ts';
import type { Id } from '../model/id.ts';
import type { IntegrationOutline } from '../model/integration.ts';
import {
  ANY_INTEGRATION,
  type AddressEvidence,
  type ContactChange,
  DEFAULT_PREFERENCE,
  type NewAddress,
} from '../model/people/contact.ts';
import { Problem, invalidFields } from '../model/problem.ts';
import type { ConsentAddress } from '../model/sending/consent.ts';
import type { Millis } from '../model/timestamp.ts';
import type { ContactRefusal } from '../store/people/contact-refusal.ts';
import type { Store } from '../store/store.ts';
import type { ContactUpdateSchema, NewAddressSchema } from './openapi/contact-schemas.ts';

/* Contacts and addresses that an application gives. */

export type Integrations = ReadonlyMap<Id, IntegrationOutline>;

type AddressInput = Static<typeof NewAddressSchema>;

/** Throws a Problem if a field is invalid. Absent fields stay absent. */
export function readContact(input: Static<typeof ContactUpdateSchema>): ContactChange {
  const { external_id: externalId, name, locale, timezone, fields } = input;
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

/** The integrations of an application by id. */
export async function integrationsOf(store: Store, applicationId: Id): Promise<Integrations> {
  const outlines = await store.integrations.listOutlines([applicationId]);
  return new Map((outlines.get(applicationId) ?? []).map((one) => [one.id, one]));
}

/** `integrations` are those of the application. */
export function readNewAddress(
  input: AddressInput,
  pointer: string,
  integrations: Integrations,
  { evidence, now }: { evidence: AddressEvidence; now: Millis },
): NewAddress {
  const address = readAddress(input.channel, input.address);
  if ('field' in address) {
    throw invalidFields({ pointer: `${pointer}/${address.field}`, detail: address.detail });
  }
  const { integration_id: only, label = null, preference = DEFAULT_PREFERENCE } = input;
  if (only) {
    const integration = integrations.get(only);
    const detail = !integration
      ? 'is not an integration of the application'
      : !isReached(address, integration)
        ? `cannot reach the address: its channel is ${integration.name}`
        : undefined;
    if (detail !== undefined) {
      throw invalidFields({ pointer: `${pointer}/integration_id`, detail });
    }
  }
  return {
    ...address,
    integrationId: only ?? ANY_INTEGRATION,
    label,
    preference,
    state: input.state ?? 'active',
    evidence,
    createdAt: now,
  };
}

/** Unknown channels, of another version, cannot be judged. */
function isReached(address: ConsentAddress, { name, mode }: IntegrationOutline): boolean {
  const channel = findChannel(name);
  return !channel || recipientFor(channel, mode, address) !== undefined;
}

export function refusalProblem({ what, position }: ContactRefusal, pointer = ''): Problem {
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
