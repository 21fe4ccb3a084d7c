import Type, { type TSchema } from 'typebox';

import { countGraphemes } from '../../lib/text/graphemes.ts';
import { PASSWORD_LENGTH, isEmail } from '../../model/account.ts';
import { ATTEMPT_OUTCOMES } from '../../model/attempt.ts';
import { CREDENTIALS } from '../../model/integration.ts';
import { STATES } from '../../model/state.ts';

/* Building blocks of request and response schemas. */

/** An id as clients may write it. Numbers beyond 2^53 arrive as BigInt. */
export const Int64 = Type.Union(
  [Type.Integer(), Type.BigInt(), Type.String({ pattern: '^-?[0-9]{1,19}$' })],
  { description: 'An int64, as a number or a decimal string.' },
);

export const StateField = Type.Enum([...STATES], {
  description: 'Whether the resource is enabled.',
});

/** Control characters could steer terminals that show the name. */
const CONTROL = /\p{Cc}/u;

/** Minimum length of an application name, in characters as people count them. */
const MIN_NAME = 6;

export const ApplicationName = Type.Refine(
  Type.String({ minLength: MIN_NAME, maxLength: 200, examples: ['order-updates'] }),
  (name) => countGraphemes(name.trim()) >= MIN_NAME && !CONTROL.test(name),
  () => `must have at least ${MIN_NAME} characters and no control characters`,
);

export const DisplayName = Type.Refine(
  Type.String({ minLength: 1, maxLength: 200, examples: ['Ada Lovelace'] }),
  (name) => name.trim() !== '' && !CONTROL.test(name),
  () => 'must not be blank or contain control characters',
);

const labelFor = (description: string) =>
  Type.Refine(
    Type.String({ minLength: 1, maxLength: 100, description }),
    (label) => label.trim() !== '' && !CONTROL.test(label),
    () => 'must not be blank or contain control characters',
  );

export const KeyLabel = labelFor('Purpose, for people.');

export const IntegrationLabel = labelFor('Name for people, such as "Support bot".');

export const NOT_A_WEB_URL =
  'must be an http:// or https:// URL without white space or control characters';

export function isWebUrl(text: string): boolean {
  return /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) && URL.canParse(text);
}

export const WebUrl = Type.Refine(
  Type.String({
    minLength: 1,
    maxLength: 2048,
    examples: ['https://example.com/hooks/switchboard'],
  }),
  (text) => isWebUrl(text),
  () => NOT_A_WEB_URL,
);

export const Email = Type.Refine(
  Type.String({ minLength: 3, maxLength: 254, examples: ['ada@example.com'] }),
  isEmail,
  () => 'must be an email address',
);

export const Password = Type.String({
  minLength: PASSWORD_LENGTH.min,
  maxLength: PASSWORD_LENGTH.max,
  description: 'Write-only.',
});

export const nullable = <Schema extends TSchema>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);

const Credential = Type.String({ minLength: 1, maxLength: 16_384 });

type CredentialFields<Field extends TSchema> = Record<(typeof CREDENTIALS)[number], Field>;

const eachCredential = <Field extends TSchema>(field: Field): CredentialFields<Field> =>
  Object.fromEntries(CREDENTIALS.map((name) => [name, field])) as CredentialFields<Field>;

/** The seven optional strings, in responses. */
export const credentialFields = eachCredential(Type.Optional(Credential));

/** The seven optional strings at creation: null counts as absent. */
export const newCredentials = eachCredential(Type.Optional(nullable(Credential)));

/** A field that null or an empty string clears. */
export const clearable = <Schema extends TSchema>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Literal(''), Type.Null()]));

/** The seven optional strings in an update. */
export const credentialChanges = eachCredential(clearable(Credential));

export const Id = Type.Integer({ format: 'int64', minimum: 1, examples: [42] });

export const Timestamp = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$',
  description: 'UTC.',
  examples: ['2026-11-15T09:30:00'],
});

export const datedFields = { id: Id, created_at: Timestamp, updated_at: Timestamp };

export const listOf = (item: TSchema) => Type.Object({ data: Type.Array(item) });

export const AttemptSchema = Type.Object(
  {
    number: Type.Integer({ minimum: 1 }),
    route: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Of a message with several routes.' }),
    ),
    started_at: Timestamp,
    duration_ms: Type.Integer({ minimum: 0 }),
    part: Type.Integer({ minimum: 1, description: 'Number of the message part.' }),
    outcome: Type.Enum([...ATTEMPT_OUTCOMES]),
    status: nullable(
      Type.String({ description: "Status of the channel's answer.", examples: ['200'] }),
    ),
    code: nullable(Type.String({ description: "The channel's error code." })),
    detail: nullable(Type.String({ description: "The channel's error message." })),
    request: nullable(Type.String({ description: 'The request, without secrets.' })),
    answer: nullable(Type.String({ description: 'The response, without secrets.' })),
  },
  { title: 'Attempt' },
);
