import Type from 'typebox';

import { CONSENT_SCOPES, CONSENT_SOURCES, CONSENT_STATES } from '../../model/sending/consent.ts';
import { Id, Timestamp, nullable } from './schemas.ts';

export const Family = Type.String({
  minLength: 1,
  maxLength: 64,
  description:
    '`sms`, `whatsapp`, `rcs` and `viber` for phone numbers, whichever channel sends to them; otherwise the name of the channel.',
  examples: ['sms'],
});

export const ConsentScopeName = Type.Enum([...CONSENT_SCOPES], {
  description:
    "`vendor`: the vendor refuses messages to the address, regardless of the person's consent.",
});

export const ConsentStateName = Type.Enum([...CONSENT_STATES], {
  description: '`pending`: asked, but not confirmed yet.',
});

export const proofFields = {
  state: ConsentStateName,
  source: Type.Enum([...CONSENT_SOURCES]),
  evidence: nullable(Type.String({ description: 'The proof, such as the words of the person.' })),
};

export const ConsentSchema = Type.Object(
  {
    id: Id,
    created_at: Timestamp,
    updated_at: Timestamp,
    family: Family,
    address: Type.String(),
    scope: ConsentScopeName,
    ...proofFields,
  },
  { title: 'Consent' },
);
