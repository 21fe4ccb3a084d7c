import {
  webhookFault,
  webhookHeaders,
  webhookSecrets,
} from '../../lib/crypto/standard-webhooks.ts';
import { listMember, member, numberMember, textMember } from '../../lib/json/json-member.ts';
import { readHtml, readMarkdown } from '../../lib/rich-text/readers.ts';
import { unstyled } from '../../lib/rich-text/rich-text.ts';
import { SANDBOX_URL } from '../../model/sandbox/sandbox-url.ts';
import type { Phone } from '../phone.ts';
import { type ShownButton, type ShownContent, type ShownMedia, shownText } from '../shown.ts';
import type { Actor, ReportContext, Simulator, WebhookRequest } from '../simulator.ts';
import type { Reply, Request } from '../wire/request.ts';
import { showOnce } from './files.ts';

/*
 * A service of the application: an endpoint for Standard Webhooks that shows its customers what it receives, and posts
 * what they write.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
const SECRET = `whsec_${Buffer.from('not-a-secret, only an example').toString('base64')}`;

export const webhook: Simulator = {
  channel: 'webhook',
  limits: { none: 'your service sets the rate' },
  credentials: { address: `${SANDBOX_URL}/messages`, secret: SECRET },
  people: [
    { address: 'customer-42', name: 'Ada Example' },
    { address: 'customer-43', name: 'Grace Example' },
  ],
  hasPlaces: () => true,
  magicAddress: (number) => `fault-${number}`,
  // The endpoint interprets recipients itself; no answer blames one.
  lacks: ['blocked', 'unknown'],

  recipientOf: ({ json }) => addressIn(json),

  async respond(request, phone) {
    return faultOf(request, phone.now()) ?? show(request, phone);
  },

  refusals: {
    blocked: () => ({ status: 422, body: 'recipient blocked' }),
    unknown: () => ({ status: 422, body: 'recipient unknown' }),
    limited: (seconds) => ({
      status: 429,
      headers: { 'retry-after': String(seconds) },
      body: 'slow down',
    }),
    credentials: () => ({ status: 401, body: 'the signature is wrong' }),
  },

  reports: {
    message({ text, media, place, replyTo, ...actor }, context) {
      const url = media && context.fileUrl(media.file.id);
      const file = media && {
        type: media.type,
        url,
        mediaType: media.file.mediaType,
        name: media.file.name,
      };
      const object = {
        ...(place ? { type: 'Place', ...place } : (file ?? { type: 'Note' })),
        id: `message-${context.number}`,
        ...(text !== undefined && { content: text }),
        ...(replyTo && { inReplyTo: replyTo.vendorId }),
      };
      return { ...posted(actor, object, context), id: `message-${context.number}` };
    },

    press({ message, button: { label, value = label }, ...actor }, context) {
      const object = {
        type: 'Note',
        id: `message-${context.number}`,
        content: label,
        inReplyTo: message.vendorId,
        attachment: [{ type: 'Button', name: label, value }],
      };
      return posted(actor, object, context);
    },
  },
};

/** Why the endpoint refuses a request. */
function faultOf({ method, headers, bytes, json }: Request, now: number): Reply | undefined {
  if (method !== 'POST') return { status: 405, body: 'only POST' };
  if (headers['content-type'] !== 'application/json') return { status: 415, body: 'only JSON' };
  if (json === undefined) return { status: 400, body: 'invalid JSON' };
  const fault = webhookFault((name) => headers[name], bytes, webhookSecrets(SECRET), now);
  return fault === undefined ? undefined : { status: 401, body: fault };
}

async function show({ json, headers }: Request, phone: Phone): Promise<Reply> {
  const object = member(json, 'object');
  const [type, id] = [textMember(json, 'type'), textMember(object, 'id')];
  const before = type === 'Create' || id === undefined ? undefined : await phone.find(id);
  if (type === 'Delete') {
    if (before) await phone.remove(before);
  } else if (before) {
    await phone.edit(before, contentOf(object));
  } else {
    await showOnce(phone, headers['webhook-id'] ?? '', () =>
      phone.show(addressIn(json) ?? '', contentOf(object), (number) => id ?? `message-${number}`),
    );
  }
  return { status: 204 };
}

const addressIn = (json: unknown) =>
  textMember(json, 'to', 'id') ?? textMember(json, 'to', '0', 'id');

const MEDIA = ['Image', 'Video', 'Audio', 'Document'] as const;

/** https://www.w3.org/TR/activitystreams-vocabulary/#object-types */
function contentOf(object: unknown): ShownContent {
  const attachments = listMember(object, 'attachment');
  const [title, content = ''] = [textMember(object, 'name'), textMember(object, 'content')];
  const media = [object, ...attachments].flatMap(mediaIn);
  const buttons = attachments.flatMap(buttonIn);
  const place = placeIn(object);
  const cards = listMember(object, 'items').map(contentOf);
  const replyTo = textMember(object, 'inReplyTo') ?? textMember(object, 'inReplyTo', 'id');
  const type = textMember(object, 'mediaType');
  const rich =
    type === 'text/markdown'
      ? readMarkdown(content)
      : type === 'text/html'
        ? readHtml(content)
        : unstyled(content);
  return {
    ...(title !== undefined && media.length === 0 && !place && { title }),
    ...(content !== '' && shownText(rich)),
    ...(media.length > 0 && { media }),
    ...(place && { place }),
    ...(buttons.length > 0 && { buttons }),
    ...(cards.length > 0 && { cards }),
    ...(replyTo !== undefined && { reply_to: replyTo }),
  };
}

function mediaIn(object: unknown): ShownMedia[] {
  const type = MEDIA.find((each) => each === textMember(object, 'type'));
  const [url, name] = [textMember(object, 'url'), textMember(object, 'name')];
  if (!type || url === undefined) return [];
  return [{ type, url, ...(name !== undefined && { name }) }];
}

function buttonIn(object: unknown): ShownButton[] {
  if (textMember(object, 'type') !== 'Button') return [];
  const [label = '', value, url] = ['name', 'value', 'url'].map((key) => textMember(object, key));
  return [{ label, ...(url === undefined ? { value: value ?? label } : { url }) }];
}

function placeIn(object: unknown): ShownContent['place'] {
  const [latitude, longitude] = ['latitude', 'longitude'].map((key) => numberMember(object, key));
  const name = textMember(object, 'name');
  if (textMember(object, 'type') !== 'Place') return undefined;
  if (latitude === undefined || longitude === undefined) return undefined;
  return { latitude, longitude, ...(name !== undefined && { name }) };
}

/** An action of a customer, as a request that the customer's service signs. */
function posted(
  { person, room }: Actor,
  object: object,
  { credentials, now, number }: ReportContext,
): WebhookRequest {
  const body = JSON.stringify({
    '@context': 'https://www.w3.org/ns/activitystreams',
    type: 'Create',
    actor: { type: 'Person', id: person.address, name: person.name },
    ...(room && { target: { type: 'Group', id: room.address, name: room.name } }),
    published: new Date(now).toISOString(),
    object,
  });
  const signed = { id: `msg_${number}`, timestamp: Math.floor(now / 1000), body };
  const secrets = webhookSecrets(credentials.secret ?? '');
  const headers = { 'content-type': 'application/json', ...webhookHeaders(signed, secrets) };
  return { headers, body };
}
