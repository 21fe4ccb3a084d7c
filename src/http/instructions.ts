import Type from 'typebox';

import { similarNames } from '../lib/text/similar-names.ts';
import { invalidFields } from '../model/problem.ts';
import { CATEGORIES } from '../model/sending/consent.ts';
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
    name: Type.String({ minLength: 1, maxLength: 512, examples: ['order_shipped'] }),
    language: Type.Optional(LanguageTag),
    parameters: Type.Optional(TemplateParametersSchema),
  },
  {
    title: 'TemplateRequest',
    description:
      'A template of the vendor by its name, or else one of the application. `pt-BR` falls back to `pt`; a template of the application also to its default language.',
  },
);

const CategorySchema = Type.Enum([...CATEGORIES], {
  description:
    'Why the message is sent; `transactional` by default. Marketing goes only to people who did not stop it.',
});

export const SendAtSchema = Type.Union(
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
          "An IANA time zone, or `recipient`: the zone of the recipient's phone number if its country has one zone, else `default_zone` of the application's policies.",
        examples: ['Europe/Berlin', 'recipient'],
      }),
    }),
  ],
  {
    title: 'SendAt',
    description:
      'When to send the message, at most 366 days ahead; a time in the past is now. Where clocks are set forward, a skipped local time is the first instant after; where they are set back, a repeated one is the first of both.',
  },
);

export const instructionFields = {
  send_at: Type.Optional(SendAtSchema),
  options: Type.Optional(MessageOptionsSchema),
  category: Type.Optional(nullable(CategorySchema)),
  template: Type.Optional(TemplateRequestSchema),
  outside_window: Type.Optional(TemplateRequestSchema),
};

const KNOWN = ['message', ...Object.keys(instructionFields)];

/** Other members are ignored, except for misspelled ones: a typo must not send the message otherwise than meant. */
export function checkMembers(body: object, pointer: string): void {
  for (const name of Object.keys(body)) {
    if (KNOWN.includes(name)) continue;
    const [similar] = similarNames(plain(name), KNOWN);
    if (similar === undefined) continue;
    const detail = `is unknown; did you mean ${similar}?`;
    throw invalidFields({ pointer: `${pointer}/${name.slice(0, 64)}`, detail });
  }
}

/** `sendAt` and `Send-At` are misspellings of `send_at`. */
function plain(name: string): string {
  return name
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
}
