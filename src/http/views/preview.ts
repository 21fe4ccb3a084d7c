import Type, { type Static } from 'typebox';

import { type PreviewedConsent, UNSUBSCRIBES } from '../../accept/consent/consent.ts';
import type { Preview, PreviewedRoute } from '../../accept/preview.ts';
import { ZONE_SOURCES } from '../../accept/send-at.ts';
import type { Attachment, RequestFile } from '../../channels/channel.ts';
import type { WindowState } from '../../channels/window.ts';
import { DEGRADED } from '../../compose/degradations.ts';
import type { Step } from '../../compose/plan.ts';
import { type ReceivedFile, transferOf } from '../../compose/received-media.ts';
import { FORMATS } from '../../lib/rich-text/accidental-formats.ts';
import {
  type AddressChoice,
  CHOICE_REASONS,
  SKIP_REASONS,
} from '../../model/people/address-choice.ts';
import { PROBLEMS, type Problem } from '../../model/problem.ts';
import { SUPPRESSIONS } from '../../model/sending/consent.ts';
import { CONDITIONS } from '../../model/sending/message-route.ts';
import { timestamp } from '../../model/timestamp.ts';
import { MessageOptionsSchema } from '../instructions.ts';
import { Family } from '../openapi/consent-schemas.ts';
import { Id, nullable } from '../openapi/schemas.ts';
import { TemplateLayoutSchema } from '../openapi/template-schemas.ts';

const OnePreview = Type.Object({
  integration_id: Id,
  channel: Type.String({ examples: ['telegram'] }),
  to: Type.String({ description: "The recipient, in the channel's format." }),
  options: MessageOptionsSchema,
  send_at: nullable(Type.String({ description: 'When it would leave; null if at once.' })),
  zone_source: nullable(
    Type.Enum([...ZONE_SOURCES], {
      description:
        "Where the zone of a local time comes from: the request, the contact, the country of the recipient's phone number, or `default_zone`.",
    }),
  ),
  ready: Type.Boolean({ description: 'Whether the message could be sent as it is.' }),
  parts: Type.Array(
    Type.Object({
      does: Type.Enum(['send', 'edit', 'remove']),
      id: nullable(Type.String({ description: 'Id of the earlier part to change.' })),
      call: nullable(
        Type.String({ description: "The channel's method.", examples: ['sendMessage'] }),
      ),
      content: Type.Unsafe<unknown>({
        description: 'Request content without credentials; null for a removal.',
      }),
      file: nullable(
        Type.Object(
          {
            url: Type.String(),
            media_type: nullable(Type.String()),
            name: nullable(Type.String()),
          },
          {
            description: 'File that the service downloads and uploads to the channel.',
          },
        ),
      ),
      enclosed: Type.Array(
        Type.Object({
          url: Type.String(),
          media_type: nullable(Type.String()),
          name: nullable(Type.String()),
          otherwise: Type.String({
            description: 'Replacement text if the file is unavailable or exceeds the total size.',
          }),
        }),
        {
          description: 'Files that the service downloads and attaches, such as email attachments.',
        },
      ),
      received: Type.Array(
        Type.Object({
          url: Type.String({ description: 'As it is in the message.' }),
          by: Type.Enum(['upload', 'address'], {
            description:
              'Whether the service uploads the file, or the channel fetches it from a signed address.',
          }),
          expires_at: nullable(Type.String({ description: 'When that address expires.' })),
        }),
        {
          description:
            'Received files in this part. Signed addresses are shown without their signature.',
        },
      ),
      segments: nullable(
        Type.Object(
          {
            encoding: Type.Enum(['GSM-7', 'UCS-2']),
            count: Type.Integer(),
            because: Type.Array(Type.String(), {
              description: 'Characters outside GSM 03.38 that force UCS-2.',
            }),
          },
          { description: 'SMS segments of the text.' },
        ),
      ),
    }),
    { description: 'Requests to the channel, in order.' },
  ),
  degraded: Type.Array(
    Type.Object({
      what: Type.Enum(Object.keys(DEGRADED)),
      became: Type.String(),
      why: Type.String(),
    }),
    { description: 'Parts of the message that the channel cannot carry as requested.' },
  ),
  may_be_formatted: Type.Array(
    Type.Object({
      text: Type.String({ examples: ['*today*'] }),
      as: Type.Enum([...FORMATS]),
    }),
    {
      description:
        'Parts of the text that the app may format or act on because it offers no escape for them. At most 20.',
    },
  ),
  consent: nullable(
    Type.Object(
      {
        family: Family,
        address: Type.String(),
        allowed: Type.Boolean({ description: 'Whether the recipient accepts the message.' }),
        because: nullable(
          Type.Enum([...SUPPRESSIONS], {
            description:
              'Why not: the vendor refuses messages to the address, the person stopped them, or did not consent to marketing.',
          }),
        ),
        unsubscribe: nullable(
          Type.Enum([...UNSUBSCRIBES], {
            description:
              'For marketing emails: whether they have the `List-Unsubscribe` headers. `no_public_url`: not without `SWITCHBOARD_PUBLIC_URL`.',
          }),
        ),
      },
      { description: 'Null if the message needs no consent, such as the deletion of a message.' },
    ),
  ),
  contact: nullable(
    Type.Object(
      {
        contact_id: Id,
        address_id: Id,
        chosen_because: Type.Enum([...CHOICE_REASONS]),
        skipped: Type.Array(
          Type.Object({ address_id: Id, because: Type.Enum([...SKIP_REASONS]) }),
          {
            description: 'Addresses that cannot be used now.',
          },
        ),
      },
      { description: 'The address that was chosen; null unless `to.id` names a contact.' },
    ),
  ),
  template: nullable(
    Type.Object(
      {
        source: Type.Enum(['vendor', 'own']),
        name: Type.String(),
        language: Type.String(),
        layout: nullable(TemplateLayoutSchema),
      },
      { description: 'The template that is sent; null for free text.' },
    ),
  ),
  window: nullable(
    Type.Object(
      {
        state: Type.Enum(['open', 'closed', 'unknown'], {
          description:
            '`unknown`: Switchboard cannot tell, for example because the integration is new; the vendor decides.',
        }),
        until: nullable(
          Type.String({
            description: 'When an open window closes, or an unknown state becomes known.',
          }),
        ),
      },
      {
        description:
          'Whether the vendor accepts free text to the recipient now. Null if it always does.',
      },
    ),
  ),
  missing: Type.Array(
    Type.Object({
      what: Type.Enum(['credential', 'recipient', 'channel', 'public_url']),
      detail: Type.String(),
    }),
    { description: 'Problems to fix before the message can be sent.' },
  ),
  error: nullable(
    Type.Object(
      {
        code: Type.String({ examples: ['invalid_fields'] }),
        status: Type.Integer(),
        title: Type.String(),
        detail: Type.String(),
        errors: Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() })),
      },
      {
        description: 'The error that sending would return; null if the message would be accepted.',
      },
    ),
  ),
});

const { send_at: _at, zone_source: _zone, ...ofRoute } = OnePreview.properties;

export const PreviewSchema = Type.Object(
  {
    ...OnePreview.properties,
    routes: Type.Optional(
      Type.Array(
        Type.Object(
          {
            via: Type.String(),
            until: Type.Optional(Type.Enum([...CONDITIONS])),
            late_delivery: Type.Optional(
              Type.Boolean({
                description:
                  'Whether the vendor may still deliver the message when the next route has started, because it accepts no validity period. Only if the route waits until the message is delivered or read.',
              }),
            ),
            ...ofRoute,
          },
          { title: 'RoutePreview' },
        ),
        {
          description:
            'For a message with `routes`: the preview of each route. The other fields describe the first route that could be sent.',
        },
      ),
    ),
  },
  { title: 'Preview' },
);

export function previewView(preview: Preview): Static<typeof PreviewSchema> {
  const { routes } = preview;
  const shown = onePreview(preview);
  return routes ? { ...shown, routes: routes.map(routePreview) } : shown;
}

function routePreview({ via, until, preview }: PreviewedRoute) {
  const { send_at: _, zone_source: __, ...rest } = onePreview(preview);
  const isAwaited = until === 'delivered' || until === 'read';
  const late = isAwaited ? { late_delivery: preview.channel?.expires !== true } : {};
  return { via, ...(until !== null && { until }), ...late, ...rest };
}

function onePreview(preview: Preview): Static<typeof OnePreview> {
  const { integrationId, channel, recipient, steps, degradations, formatted, files } = preview;
  const missing = missingOf(preview);
  return {
    integration_id: integrationId,
    channel: channel?.name ?? 'unknown',
    to: recipient,
    options: preview.options,
    send_at: preview.dueAt === null ? null : timestamp(preview.dueAt),
    zone_source: preview.zoneSource,
    ready: missing.length === 0 && !preview.problem,
    parts: steps.map((step) => ({
      does: step.does,
      id: 'id' in step ? step.id : null,
      call: ('request' in step && step.request.call) || null,
      content: 'request' in step ? step.request.body : null,
      file:
        'request' in step && isUploaded(step.request.file)
          ? fileView(step.request.file, files)
          : null,
      segments: ('request' in step && step.request.segments) || null,
      enclosed: (('request' in step && step.request.attachments) || []).map((each) =>
        enclosedView(each, files),
      ),
      received: files.flatMap((file) => receivedView(step, file)),
    })),
    degraded: [...degradations],
    may_be_formatted: [...formatted],
    consent: preview.consent ? consentView(preview.consent) : null,
    contact: preview.contact ? contactView(preview.contact) : null,
    template: preview.template ? templateView(preview.template) : null,
    window: preview.window ? windowView(preview.window) : null,
    missing,
    error: preview.problem ? errorView(preview.problem) : null,
  };
}

function consentView({ family, address, because, unsubscribe }: PreviewedConsent) {
  return { family, address, allowed: because === null, because, unsubscribe };
}

const contactView = ({ contactId, addressId, because, skipped }: AddressChoice) => ({
  contact_id: contactId,
  address_id: addressId,
  chosen_because: because,
  skipped: skipped.map((one) => ({ address_id: one.addressId, because: one.because })),
});

function templateView({ layout, ...template }: NonNullable<Preview['template']>) {
  const shown = layout ? { ...layout, buttons: [...layout.buttons] } : null;
  return { ...template, layout: shown };
}

const windowView = ({ state, until }: WindowState) => ({
  state,
  until: until === null ? null : timestamp(until),
});

function errorView({ code, status, message, errors = [] }: Problem) {
  return { code, status, title: PROBLEMS[code].title, detail: message, errors: [...errors] };
}

/** Files that the edited message already has are not uploaded again. */
function isUploaded(file: RequestFile | undefined): file is RequestFile {
  return file !== undefined && !file.isKept;
}

function receivedView(step: Step, file: ReceivedFile) {
  const by = transferOf(step, file);
  if (by === undefined) return [];
  const expires = by === 'address' ? timestamp(file.expires * 1000) : null;
  return [{ url: file.url, by, expires_at: expires }];
}

/** The file with the URL that the caller gave. */
function fileView({ url, mediaType, name }: RequestFile, files: readonly ReceivedFile[]) {
  const received = files.find(({ signedUrl }) => signedUrl === url);
  return { url: received?.url ?? url, media_type: mediaType ?? null, name: name ?? null };
}

function enclosedView(
  { fallback: otherwise, ...file }: Attachment,
  files: readonly ReceivedFile[],
) {
  return { ...fileView(file, files), otherwise };
}

function missingOf({ missing }: Preview): Static<typeof PreviewSchema>['missing'] {
  const { credentials, recipient, channel, publicUrl } = missing;
  return [
    ...credentials.map((name) => ({
      what: 'credential' as const,
      detail: `the integration lacks "${name}"`,
    })),
    ...(recipient === undefined
      ? []
      : [{ what: 'recipient' as const, detail: `to.id ${recipient}` }]),
    ...(channel === undefined ? [] : [{ what: 'channel' as const, detail: channel }]),
    ...(publicUrl === undefined ? [] : [{ what: 'public_url' as const, detail: publicUrl }]),
  ];
}
