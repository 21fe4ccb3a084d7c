import Type, { type Static } from 'typebox';

import { readAddress } from '../accept/contacts/address.ts';
import { normalAddress } from '../channels/consent-address.ts';
import { CHANNELS } from '../channels/index.ts';
import { invalidFields } from '../model/problem.ts';
import {
  type ConsentChange,
  type ConsentSource,
  consentKey,
  isErasedKey,
} from '../model/sending/consent.ts';
import { ConsentStateName, Family } from './openapi/consent-schemas.ts';
import { nullable } from './openapi/schemas.ts';

/* A consent that an application records. */

export const ConsentBody = Type.Object(
  {
    family: Family,
    address: Type.String({ minLength: 1, maxLength: 1024, examples: ['+15558675310'] }),
    scope: Type.Optional(nullable(Type.Enum(['all', 'marketing']))),
    state: ConsentStateName,
    evidence: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 2000 }))),
  },
  { title: 'NewConsent' },
);

export type NewConsent = Static<typeof ConsentBody>;

export function readConsent(
  { family, address, scope, state, evidence }: NewConsent,
  source: ConsentSource,
): ConsentChange {
  return {
    key: recordedKey(family, address),
    scope: scope ?? 'all',
    state,
    source,
    evidence: evidence ?? null,
  };
}

/** Refuses an address that no message can have: its stop would have no effect. */
function recordedKey(family: string, address: string): string {
  const read = readAddress(family, address);
  if ('family' in read) return consentKey(read);
  // An export has the digests of erased people.
  const given = consentKey({ family, address });
  if (read.field === 'address' && isErasedKey(given)) return given;
  const pointer = read.field === 'channel' ? '/family' : '/address';
  throw invalidFields({ pointer, detail: read.detail });
}

/** The key by which an address is looked up. */
export function keyOf(family: string, address: string): string {
  const read = readAddress(family, address);
  return consentKey('family' in read ? read : { family, address: normalAddress(family, address) });
}

/** The keys of an address in all families. */
export const keysOf = (address: string): string[] => [
  ...new Set(
    FAMILIES.flatMap((family) => [keyOf(family, address), keyOf(`sandbox.${family}`, address)]),
  ),
];

/** Several channels share some families. */
const FAMILIES: readonly string[] = ['sms', 'rcs', ...CHANNELS.map(({ name }) => name)];
