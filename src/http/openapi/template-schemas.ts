import Type from 'typebox';

import { PARAMETER_KINDS, TEMPLATE_STATUSES } from '../../model/templates/vendor-template.ts';
import { LanguageTag, TemplateParametersSchema } from '../instructions.ts';
import { Id, Timestamp, datedFields, nullable } from './schemas.ts';

/** The template of a message. */
export const SentTemplateSchema = Type.Object(
  {
    name: Type.String(),
    language: Type.String(),
    parameters: TemplateParametersSchema,
    source: Type.Enum(['vendor', 'own'], { description: 'Source of the template.' }),
    version: Type.Optional(Type.Integer({ description: "Version of an application's template." })),
  },
  { title: 'SentTemplate' },
);

/** The preview of a vendor's template. */
export const TemplateLayoutSchema = Type.Object(
  {
    header: Type.Optional(Type.String()),
    body: Type.String(),
    footer: Type.Optional(Type.String()),
    buttons: Type.Array(Type.Object({ label: Type.String(), url: Type.Optional(Type.String()) })),
  },
  { title: 'TemplateLayout', description: '`{{name}}` stands for the value of a parameter.' },
);

const VendorTemplateSchema = Type.Object(
  {
    name: Type.String({ examples: ['order_shipped'] }),
    language: Type.String({ examples: ['en_US'] }),
    vendor_id: nullable(
      Type.String({ description: "The vendor's id of the template, where it has one." }),
    ),
    status: Type.Enum([...TEMPLATE_STATUSES], {
      description: '`rejected`, `paused` and `disabled` templates are refused.',
    }),
    category: nullable(Type.String({ examples: ['utility'] })),
    reason: nullable(Type.String({ description: 'Why the vendor rejected it.' })),
    unsupported: nullable(
      Type.String({ description: 'Content of the template that Switchboard cannot send.' }),
    ),
    parameters: Type.Array(
      Type.Object({
        name: Type.String(),
        kind: Type.Enum([...PARAMETER_KINDS]),
        place: Type.Enum(['header', 'body', 'button']),
        required: Type.Boolean(),
        example: nullable(Type.String()),
      }),
    ),
    preview: TemplateLayoutSchema,
  },
  { title: 'VendorTemplate' },
);

export const VendorTemplatesSchema = Type.Object(
  {
    synced_at: nullable(Timestamp),
    data: Type.Array(VendorTemplateSchema),
  },
  { title: 'VendorTemplates' },
);

export const TemplateSyncSchema = Type.Object(
  { synced_at: Timestamp, count: Type.Integer({ description: 'Number of templates.' }) },
  { title: 'TemplateSync' },
);

const Liquid = Type.String({ maxLength: 65_536 });

const TemplateAttachment = Type.Object(
  {
    type: Type.Enum(['Image', 'Video', 'Audio', 'Document', 'Link', 'Button']),
    name: Type.Optional(Liquid),
    content: Type.Optional(Liquid),
    url: Type.Optional(Liquid),
    value: Type.Optional(Liquid),
    mediaType: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  },
  { title: 'TemplateAttachment' },
);

const TemplateContentSchema = Type.Object(
  {
    name: Type.Optional(Liquid),
    content: Liquid,
    mediaType: Type.Optional(
      Type.Enum(['text/plain', 'text/markdown', 'text/html'], {
        description: 'The markup of the content. Values are escaped, so that they stay text.',
      }),
    ),
    attachment: Type.Optional(Type.Array(TemplateAttachment, { maxItems: 50 })),
  },
  {
    title: 'TemplateContent',
    description: 'A note whose texts are Liquid: `{{ name }}` is the value of a parameter.',
  },
);

export const templateFields = {
  default_language: LanguageTag,
  contents: Type.Record(Type.String({ pattern: '^[A-Za-z0-9_-]{1,35}$' }), TemplateContentSchema, {
    minProperties: 1,
    maxProperties: 50,
    description: 'By language tag. `pt-BR` falls back to `pt`, then to `default_language`.',
  }),
};

export const TemplateName = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$',
  description: 'Letters, digits, `_`, `.` and `-`; unique in the application.',
  examples: ['order_shipped'],
});

export const TemplateSchema = Type.Object(
  {
    ...datedFields,
    name: Type.String(),
    version: Type.Integer({ minimum: 1 }),
    ...templateFields,
  },
  { title: 'Template' },
);

export const TemplateDetailSchema = Type.Object(
  {
    ...TemplateSchema.properties,
    versions: Type.Array(Type.Object({ version: Type.Integer(), created_at: Timestamp }), {
      description: 'The last hundred versions, newest first.',
    }),
  },
  { title: 'TemplateDetail' },
);

export const TemplatePreviewSchema = Type.Object(
  {
    template_id: Id,
    version: Type.Integer(),
    language: Type.String({ description: 'The language that was chosen.' }),
    object: Type.Unsafe<unknown>({ description: 'The rendered note.' }),
    channels: Type.Array(
      Type.Object({
        channel: Type.String(),
        parts: Type.Array(Type.Unsafe<unknown>({}), {
          description: 'The content of each request to the channel.',
        }),
        degraded: Type.Array(
          Type.Object({ what: Type.String(), became: Type.String(), why: Type.String() }),
        ),
      }),
    ),
  },
  { title: 'TemplatePreview' },
);
