import Type, { type Static } from 'typebox';

import { normalAddress } from '../channels/consent-address.ts';
import { CHANNELS } from '../channels/index.ts';
import { similarNames } from '../lib/text/similar-names.ts';
import { invalidFields } from '../model/problem.ts';
import { type ConsentChange, type ConsentSource, consentKey } from '../model/sending/consent.ts';
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
  const fault = familyFault(family);
  if (fault !== undefined) throw invalidFields({ pointer: '/family', detail: fault });
  return {
    key: keyOf(family, address),
    scope: scope ?? 'all',
    state,
    source,
    evidence: evidence ?? null,
  };
}

export const keyOf = (family: string, address: string): string =>
  consentKey({ family, address: normalAddress(family, address) });

/** The keys of an address in all families. */
export const keysOf = (address: string): string[] =>
  FAMILIES.flatMap((family) => [keyOf(family, address), keyOf(`sandbox.${family}`, address)]);

/** Several channels share some families. */
const FAMILIES: readonly string[] = ['sms', 'rcs', ...CHANNELS.map(({ name }) => name)];

function familyFault(family: string): string | undefined {
  const own = family.replace(/^sandbox\./, '');
  if (FAMILIES.includes(own)) return undefined;
  const [similar] = similarNames(own, FAMILIES);
  return similar === undefined
    ? 'must be sms, whatsapp, rcs or the name of a channel'
    : `is unknown; did you mean ${similar}?`;
}
