import Type, { type Static } from 'typebox';

import { CATEGORIES } from '../model/sending/consent.ts';
import { CONDITIONS } from '../model/sending/message-route.ts';
import { MAX_TEMPLATE_NAME_LENGTH } from '../model/templates/vendor-template.ts';
import { nullable } from './openapi/schemas.ts';

/* Instructions that a request gives beside the activity. */

const MAX_OPTIONS = 50;

export const MessageOptionsSchema = Type.Record(
  Type.String({ pattern: '^[^\\u0000]{1,64}$' }),
  Type.Union([Type.String({ maxLength: 4096 }), Type.Number(), Type.Boolean()]),
  {
    title: 'MessageOptions',
    maxProperties: MAX_OPTIONS,
    description:
      "Values of the channel's options, such as a priority; `GET /1/channels` lists them. Unknown options are refused.",
    examples: [{ silent: true }],
  },
);

export const TemplateParametersSchema = Type.Record(
  Type.String({ pattern: '^[^\\u0000]{1,100}$' }),
  Type.Unsafe<unknown>({}),
  {
    title: 'TemplateParameters',
    maxProperties: 100,
    description:
      'Values by the names of the parameters. A text, or for media the URL of the file; for places an object with `latitude` and `longitude`.',
    examples: [{ 1: 'Ada' }],
  },
);

export const LanguageTag = Type.String({
  pattern: '^[A-Za-z]{2,8}([_-][A-Za-z0-9]{1,8}){0,3}$',
  examples: ['en', 'pt-BR'],
});

export const TemplateRequestSchema = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: MAX_TEMPLATE_NAME_LENGTH,
      examples: ['order_shipped'],
    }),
    language: Type.Optional(LanguageTag),
    parameters: Type.Optional(TemplateParametersSchema),
  },
  {
    title: 'TemplateRequest',
    description:
      'A template of the vendor by its name, or else one of the application. `pt-BR` falls back to `pt`; a template of the application also to its default language.',
  },
);

type TemplateRequest = Static<typeof TemplateRequestSchema>;

/** Integers beyond 2^53 are read as BigInt, which JSON does not have; as texts, they keep their digits. */
export const parametersOf = (parameters: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, withDigits(value)]));

function withDigits(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map(withDigits);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withDigits(inner)]),
  );
}

/** The template that a body names. */
export const templateOf = (request: TemplateRequest): TemplateRequest =>
  request.parameters === undefined
    ? request
    : { ...request, parameters: parametersOf(request.parameters) };

export const CategorySchema = Type.Enum([...CATEGORIES], {
  description:
    'Why the message is sent; `transactional` by default. Marketing goes only to people who did not stop it.',
});

const SendAtSchema = Type.Union(
  [
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'ISO 8601; UTC unless a zone is given.',
      examples: ['2026-12-01T09:00:00Z'],
    }),
    Type.Object({
      local: Type.String({
        minLength: 1,
        maxLength: 64,
        description: '`HH:MM`, which is the next such time, or `YYYY-MM-DDTHH:MM`.',
        examples: ['09:00'],
      }),
      zone: Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          "An IANA time zone, or `recipient`: the zone of the contact, else that of the country of the recipient's phone number if it has one zone, else `default_zone` of the application's policies.",
        examples: ['Europe/Berlin', 'recipient'],
      }),
    }),
  ],
  {
    title: 'SendAt',
    description:
      'When to send the message, at most 366 days ahead; a time in the past is now. When clocks go forward, a skipped local time is the first instant after the gap; when they go back, a repeated one is the first of the two.',
  },
);

export const RouteSchema = Type.Object(
  {
    via: Type.Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: 128 }), Type.Integer()], {
        description:
          'The id of an integration, the name of a channel, or `pool:NAME`. The first route has the generator of the message by default.',
        examples: ['whatsapp'],
      }),
    ),
    to: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: "The recipient in the channel's format; `to.id` of the message by default.",
      }),
    ),
    after: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 32,
        description:
          'How long `until` may take from the start of the route, as an ISO 8601 duration from `PT5S` to `P3D`. Required on all routes but the last.',
        examples: ['PT2M'],
      }),
    ),
    until: Type.Optional(
      Type.Enum([...CONDITIONS], {
        description:
          'What must happen in time, or else the next route starts; `sent` by default. Conditions that the channel does not report are refused. Not for the last route.',
      }),
    ),
    options: Type.Optional(MessageOptionsSchema),
    template: Type.Optional(TemplateRequestSchema),
  },
  { title: 'RouteRequest' },
);

const MAX_ROUTES = 5;

export const instructionFields = {
  send_at: Type.Optional(SendAtSchema),
  options: Type.Optional(MessageOptionsSchema),
  category: Type.Optional(nullable(CategorySchema)),
  template: Type.Optional(TemplateRequestSchema),
  outside_window: Type.Optional(TemplateRequestSchema),
  routes: Type.Optional(
    Type.Array(RouteSchema, {
      minItems: 1,
      maxItems: MAX_ROUTES,
      description:
        'Ways to reach the recipient, one after the other: the next starts when one fails permanently, is not allowed, or does not meet `until` within `after`.',
    }),
  ),
};

export const routeOf = (route: Static<typeof RouteSchema>): Static<typeof RouteSchema> =>
  route.template === undefined ? route : { ...route, template: templateOf(route.template) };
