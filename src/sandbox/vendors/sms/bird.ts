import { createHash, createHmac } from 'node:crypto';

import { listMember, textMember } from '../../../lib/json/json-member.ts';
import type { Phone } from '../../phone.ts';
import type { ReportContext, Reports, WebhookRequest, WrittenMessage } from '../../simulator.ts';
import type { Reply, Request } from '../../wire/request.ts';
import { list, literal, object, text } from '../../wire/shape.ts';

/* Bird's Channels API. https://docs.bird.com/api/channels-api/api-reference/messaging */

export const KEY = 'fake-access-key-of-bird';
export const WORKSPACE = 'a1405560-c8d3-4b1a-877d-3f449ad95352';
export const CHANNEL = '614208aa-b153-4d5d-9989-2fddfc0ce4c3';

const BASE = `/workspaces/${WORKSPACE}/channels/${CHANNEL}`;
const MEDIA = 'https://media.api.bird.com';

export const birdError = (
  status: number,
  code: string,
  message: string,
  details?: object,
): Reply => ({ status, body: { code, message, ...(details && { details }) } });

const MESSAGE = object({
  receiver: object({
    contacts: list(
      object({
        identifierKey: literal('phonenumber'),
        identifierValue: text(16, /^\+[1-9]\d{4,14}$/),
      }),
      1,
    ),
  }),
  body: object({ type: literal('text'), text: object({ text: text(1377, /\S/) }) }),
  reference: text(100),
});

/** The address of the recipient as the classic API writes it, without a plus sign. */
export function birdTo({ method, path, json }: Request): string | undefined {
  if (method !== 'POST' || path !== `${BASE}/messages`) return undefined;
  const [contact] = listMember(json, 'receiver', 'contacts');
  return textMember(contact, 'identifierValue')?.replace('+', '');
}

export async function respondAsBird(request: Request, phone: Phone): Promise<Reply> {
  const { method, path, headers, json } = request;
  // Required of every request: https://bird.com/en-us/migrate/from-messagebird-classic
  if (!headers['user-agent']) return birdError(403, 'Forbidden', 'User-Agent is required');
  if (headers['authorization'] !== `AccessKey ${KEY}`) {
    return birdError(401, 'Unauthorized', 'The access key is not valid');
  }
  const [, file] = /^https:\/\/media\.api\.bird\.com\/(\w+)$/.exec(path) ?? [];
  if (file !== undefined) return download(file, phone);
  if (method === 'GET' && path === BASE) {
    const channel = { id: CHANNEL, platformId: 'sms-messagebird', name: 'Acme SMS' };
    return { status: 200, body: { ...channel, status: 'active' } };
  }
  const to = birdTo(request);
  if (method !== 'POST' || path !== `${BASE}/messages`) {
    return birdError(404, 'NotFound', 'The channel was not found');
  }
  const fault = badMessage(request);
  if (fault || to === undefined) return fault ?? birdError(422, 'InvalidPayload', 'no receiver');
  const content = { text: textMember(json, 'body', 'text', 'text') ?? '' };
  const { vendorId: id } = await phone.show(to, content, idOf);
  const message = { id, channelId: CHANNEL, direction: 'outgoing', status: 'accepted' };
  return { status: 202, body: { ...Object(json), ...message } };
}

const idOf = (number: number) => `96a0b5fa-a986-453d-be5c-${String(number).padStart(12, '0')}`;

function badMessage({ json, headers }: Request): Reply | undefined {
  if (headers['content-type'] !== 'application/json') {
    return birdError(415, 'UnsupportedMediaType', 'SIMULATOR: content type');
  }
  const fault = MESSAGE(json, 'request');
  return fault === undefined
    ? undefined
    : birdError(422, 'InvalidPayload', 'The request did not pass validation', { [fault]: ['no'] });
}

async function download(id: string, phone: Phone): Promise<Reply> {
  const file = await phone.file(id);
  if (!file) return birdError(404, 'NotFound', 'The media was not found');
  return { status: 200, headers: { 'content-type': file.mediaType }, body: file.bytes };
}

/** https://docs.bird.com/api/channels-api/supported-channels/programmable-sms/receiving-messages */
export const birdReports: Reports = {
  message(written, context) {
    const id = idOf(context.number);
    const payload = {
      id,
      channelId: CHANNEL,
      sender: { contact: contactOf(written.person.address) },
      receiver: { connector: { identifierValue: '+15557122661' } },
      body: bodyOf(written),
      direction: 'incoming',
      status: 'delivered',
      createdAt: new Date(context.now).toISOString(),
    };
    return { ...signed({ service: 'channels', event: 'sms.inbound', payload }, context), id };
  },

  receipt({ message, state }, context) {
    const failed = {
      status: 'delivery_failed',
      reason: 'Handset unreachable',
      failure: { code: 20 },
    };
    const payload = {
      id: message.vendorId,
      channelId: CHANNEL,
      receiver: { contacts: [contactOf(message.person)] },
      direction: 'outgoing',
      ...(state === 'failed' ? failed : { status: 'delivered' }),
    };
    return signed({ service: 'channels', event: 'sms.outbound', payload }, context);
  },
};

const contactOf = (address: string) => ({
  identifierKey: 'phonenumber',
  identifierValue: `+${address.replace('+', '')}`,
});

function bodyOf({ text: written, media }: WrittenMessage): object {
  if (!media) return { type: 'text', text: { text: written } };
  const { id, mediaType: contentType, name: filename } = media.file;
  const file = { mediaUrl: `${MEDIA}/${id}`, contentType, filename };
  const caption = written === undefined ? {} : { text: written };
  return media.type === 'Image'
    ? { type: 'image', image: { ...caption, images: [file] } }
    : { type: 'file', file: { ...caption, files: [file] } };
}

/** https://docs.bird.com/api/notifications-api/api-reference/webhooks/verifying-a-webhook */
function signed(json: object, { credentials, url, now }: ReportContext): WebhookRequest {
  const body = JSON.stringify(json);
  const timestamp = String(Math.floor(now / 1000));
  const signature = createHmac('sha256', credentials.secret ?? '')
    .update(`${timestamp}\n${url}\n`)
    .update(createHash('sha256').update(body).digest())
    .digest('base64');
  return {
    headers: {
      'content-type': 'application/json',
      'messagebird-request-timestamp': timestamp,
      'messagebird-signature': signature,
    },
    body,
  };
}
