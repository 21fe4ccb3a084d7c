import Type, { type Static } from 'typebox';

import { ACTIVITY_STREAMS, MAX_FORMATTED_LENGTH, markupOf } from '../model/activity.ts';
import { buttonKind, isOpenable } from '../model/button.ts';
import { type FieldError, invalidFields } from '../model/problem.ts';
import { CATEGORIES } from '../model/sending/consent.ts';
import { parseDateTime } from '../model/timestamp.ts';
import { NOT_A_WEB_URL, WebUrl, isWebUrl } from './openapi/schemas.ts';

/*
 * The activity of an outgoing message: Activity Streams 2.0 (https://www.w3.org/TR/activitystreams-core/), as
 * far as the service uses it. Other properties are stored untouched.
 */

const ActivityId = Type.Union([
  Type.String({ minLength: 1, maxLength: 1024 }),
  Type.Integer(),
  Type.BigInt(),
]);
/** An empty id counts as absent. */
const GeneratorId = Type.Union([Type.String({ maxLength: 1024 }), Type.Integer(), Type.BigInt()]);
const Name = Type.String({ maxLength: 1024 });

const Reference = Type.Unsafe<unknown>({
  description: 'An id, or an object with an id.',
  examples: ['greeting-1'],
});

export const ThreadSchema = Type.Object(
  {
    type: Type.Optional(Type.Literal('Object')),
    content: Type.String({ minLength: 1, maxLength: 1024, description: 'Thread id.' }),
  },
  { title: 'Thread', description: 'The thread of the message.' },
);

const Coordinates = {
  latitude: Type.Optional(Type.Number({ minimum: -90, maximum: 90 })),
  longitude: Type.Optional(Type.Number({ minimum: -180, maximum: 180 })),
};

const ShownFields = {
  content: Type.Optional(
    Type.String({
      description:
        'The text, or the caption of media. Plain text, unless the mediaType of a Note is text/markdown or text/html.',
    }),
  ),
  url: Type.Optional(WebUrl),
  mediaType: Type.Optional(Type.String({ minLength: 1, maxLength: 255, examples: ['image/png'] })),
  name: Type.Optional(Name),
  ...Coordinates,
};

/** The longest button value that any channel documents. */
const MAX_BUTTON_VALUE_LENGTH = 2000;

const Attachment = Type.Object(
  {
    type: Type.Enum(['Image', 'Video', 'Audio', 'Document', 'Place', 'Link', 'Button']),
    ...ShownFields,
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description:
          'An http or https URL. For a Button also a tel or mailto URL; any other text is the value of the Button.',
        examples: ['https://example.com/image.png'],
      }),
    ),
    value: Type.Optional(
      Type.String({
        maxLength: MAX_BUTTON_VALUE_LENGTH,
        description:
          'Returned when a person presses the button; its name by default. Only for buttons without a `url`.',
        examples: ['order-7:confirm'],
      }),
    ),
  },
  { title: 'Attachment' },
);

const SHOWN_TYPES = ['Note', 'Image', 'Video', 'Audio', 'Document', 'Place'] as const;

const Item = Type.Object(
  {
    type: Type.Enum([...SHOWN_TYPES]),
    ...ShownFields,
    attachment: Type.Optional(Type.Array(Attachment, { maxItems: 50 })),
  },
  { title: 'Item' },
);

/**
 * Leaves out `context`: next to `@context`, most languages would give both the same identifier. The service reads it
 * anyway, as Activity Streams defines it.
 */
export const ActivitySchema = Type.Object(
  {
    '@context': Type.Unsafe<unknown>({
      description: 'The Activity Streams 2.0 context identifier, alone or in an array.',
      examples: [ACTIVITY_STREAMS],
    }),
    type: Type.Enum(['Create', 'Update', 'Delete'], {
      description: 'Update and Delete act on an earlier message, found by the id of its object.',
    }),
    generator: Type.Object({
      type: Type.Enum(['Service', 'Application']),
      id: Type.Optional(GeneratorId),
      name: Type.Optional(Name),
    }),
    to: Type.Object({
      type: Type.Enum(['Person', 'Group', 'Application']),
      id: ActivityId,
      name: Type.Optional(Name),
    }),
    object: Type.Object(
      {
        ...Item.properties,
        type: Type.Enum([...SHOWN_TYPES, 'Collection', 'Tombstone']),
        id: Type.Optional(ActivityId),
        summary: Type.Optional(Type.String({ maxLength: 1024 })),
        items: Type.Optional(
          Type.Array(Item, { minItems: 1, maxItems: 50, description: 'Items of a Collection.' }),
        ),
        inReplyTo: Type.Optional(Reference),
        context: Type.Optional(ThreadSchema),
      },
      { title: 'ActivityObject' },
    ),
    actor: Type.Optional(
      Type.Object({
        type: Type.Enum(['Person', 'Application', 'Group', 'Organization', 'Service']),
        id: Type.Optional(ActivityId),
        name: Type.Optional(Name),
      }),
    ),
    published: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 253_402_300_799, description: 'Unix time in seconds.' }),
    ),
    startTime: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          'ISO 8601: the message is not sent before this time, like `send_at`. UTC unless a zone is given.',
        examples: ['2026-12-01T09:00:00Z'],
      }),
    ),
    endTime: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          'Expiry, ISO 8601: the message is not sent after this time. UTC unless a zone is given.',
        examples: ['2026-11-15T18:00:00Z'],
      }),
    ),
  },
  { title: 'Activity' },
);

export const EXAMPLE_ACTIVITY = {
  '@context': ACTIVITY_STREAMS,
  type: 'Create',
  published: 1_763_200_200,
  generator: { type: 'Service', id: '5', name: 'telegram' },
  actor: { type: 'Person', id: '1', name: 'Ada' },
  to: { type: 'Person', id: '123456789', name: 'Charles' },
  object: { type: 'Note', id: 'greeting-1', content: 'Hello' },
};

const CONTEXT = /^https?:\/\/www\.w3\.org\/ns\/activitystreams[#/]?$/;

/** Ignoring these would send the message at once, by one route only, or after its expiry. */
const MISPLACED = new Map([
  ['send_at', 'belongs beside message, as send_at'],
  ['sendAt', 'belongs beside message, as send_at'],
  ['routes', 'belongs beside message'],
  ['start_time', 'is unknown; did you mean startTime?'],
  ['starttime', 'is unknown; did you mean startTime?'],
  ['end_time', 'is unknown; did you mean endTime?'],
  ['endtime', 'is unknown; did you mean endTime?'],
]);

/**
 * Checks rules that the schema cannot express. `pointer` locates the activity in the request. With a template, a note
 * may have no content.
 */
export function checkActivity(
  activity: Static<typeof ActivitySchema>,
  pointer: string,
  hasTemplate = false,
): void {
  const { object, type } = activity;
  const errors: FieldError[] = [];
  if (!namesActivityStreams(activity['@context'])) {
    errors.push({ pointer: `${pointer}/@context`, detail: `must be "${ACTIVITY_STREAMS}"` });
  }
  for (const name of ['startTime', 'endTime'] as const) {
    const time = activity[name];
    if (time === undefined || parseDateTime(time) !== undefined) continue;
    errors.push({ pointer: `${pointer}/${name}`, detail: 'must be an ISO 8601 date and time' });
  }
  for (const name of Object.keys(activity)) {
    const detail = MISPLACED.get(name);
    if (detail !== undefined) errors.push({ pointer: `${pointer}/${name}`, detail });
  }
  // With any other value, it is a property of the application.
  if ('category' in activity && CATEGORIES.some((one) => one === activity.category)) {
    errors.push({ pointer: `${pointer}/category`, detail: 'belongs beside message' });
  }
  if (type !== 'Create' && (object.id === undefined || object.id === '')) {
    const detail = `is required when type is ${type}: the id of the earlier message`;
    errors.push({ pointer: `${pointer}/object/id`, detail });
  }
  for (const [at, value] of [
    ['object/inReplyTo', object.inReplyTo],
    ['context', 'context' in activity ? activity.context : undefined],
  ] as const) {
    if (value === undefined || isReference(value)) continue;
    errors.push({ pointer: `${pointer}/${at}`, detail: 'must be an id, or an object with an id' });
  }
  const isEmpty = hasTemplate && object.type === 'Note' && !object.content;
  if (type !== 'Delete' && !isEmpty) errors.push(...faultsOf(object, `${pointer}/object`));
  if (errors.length > 0) throw invalidFields(...errors);
}

function isReference(value: unknown): boolean {
  if (typeof value === 'object' && value !== null && 'id' in value) return isReference(value.id);
  return ['string', 'number', 'bigint'].includes(typeof value) && value !== '';
}

type ObjectFields = Partial<Omit<Static<typeof ActivitySchema>['object'], 'type'>> & {
  type: string;
  value?: string;
};

/** Errors for the fields that the object's type requires. */
function faultsOf(object: ObjectFields, pointer: string): FieldError[] {
  const errors: FieldError[] = [];
  const need = (field: 'content' | 'url' | 'latitude' | 'longitude' | 'items' | 'name') => {
    const value = object[field];
    if (typeof value === 'string' ? value.trim() !== '' : value !== undefined) return;
    errors.push({
      pointer: `${pointer}/${field}`,
      detail: `is required when type is ${object.type}`,
    });
  };
  if (markupOf(object) && (object.content?.length ?? 0) > MAX_FORMATTED_LENGTH) {
    const detail = `must have at most ${MAX_FORMATTED_LENGTH} characters when mediaType is ${object.mediaType}`;
    errors.push({ pointer: `${pointer}/content`, detail });
  }
  if (object.type === 'Tombstone') {
    errors.push({ pointer: `${pointer}/type`, detail: 'is only valid in a Delete' });
  } else if (object.type === 'Collection') {
    need('items');
    for (const [i, item] of (object.items ?? []).entries()) {
      errors.push(...faultsOf(item, `${pointer}/items/${i}`));
    }
  } else if (object.type === 'Note') {
    if (!object.attachment?.length) need('content');
  } else if (object.type === 'Button') {
    need('name');
    errors.push(...buttonFaults(object, pointer));
  } else if (object.type === 'Place') {
    need('latitude');
    need('longitude');
  } else need('url');
  if (object.type !== 'Button' && object.url !== undefined && !isWebUrl(object.url)) {
    errors.push({ pointer: `${pointer}/url`, detail: NOT_A_WEB_URL });
  }
  for (const [i, attachment] of (object.attachment ?? []).entries()) {
    errors.push(...faultsOf(attachment, `${pointer}/attachment/${i}`));
  }
  return errors;
}

const TEL = /^tel:[\d+().*#,;=%a-z-]*\d[\d+().*#,;=%a-z-]*$/i;
const MAILTO = /^mailto:[^\s@]+@[^\s@]+$/i;

/** A value must be one that all channels return unchanged: some drop spaces around it, or cannot write it. */
function buttonFaults({ name = '', url, value }: ObjectFields, pointer: string): FieldError[] {
  const faults: FieldError[] = [];
  for (const [field, text] of Object.entries({ url, value })) {
    if (text === undefined || (field === 'url' && isOpenable(text))) continue;
    if (text !== text.trim() || /\p{Cc}/u.test(text) || !text.isWellFormed()) {
      const detail = 'must have no space around it, and no control characters in it';
      faults.push({ pointer: `${pointer}/${field}`, detail });
    }
  }
  if (url === undefined) return faults;
  const kind = buttonKind({ name, url });
  const detail =
    kind === 'link' && !isWebUrl(url)
      ? NOT_A_WEB_URL
      : kind === 'tel' && !TEL.test(url)
        ? 'must be tel: and a number'
        : kind === 'mailto' && !MAILTO.test(url)
          ? 'must be mailto: and an email address'
          : undefined;
  return detail === undefined ? faults : [...faults, { pointer: `${pointer}/url`, detail }];
}

function namesActivityStreams(context: unknown): boolean {
  if (typeof context === 'string') return CONTEXT.test(context);
  return (
    Array.isArray(context) && context.some((part) => typeof part === 'string' && CONTEXT.test(part))
  );
}
