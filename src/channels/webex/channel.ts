import { createHmac } from 'node:crypto';

import { equalInConstantTime } from '../../lib/crypto/constant-time.ts';
import { multipart, toFormFile } from '../../lib/http/multipart.ts';
import { jsonBody } from '../../lib/json/json-body.ts';
import { listMember, textMember } from '../../lib/json/json-member.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import {
  type Channel,
  type Check,
  type Context,
  type Destination,
  type Failure,
  type MediaPart,
  type RequestFile,
  type Unsupported,
  type VendorRequest,
  fileOf,
  isFailure,
  ofChange,
  ofCheck,
} from '../channel.ts';
import { webhookSecret } from '../inbound.ts';
import { isSuccess, sentUnlessRefused } from '../unexpected-success.ts';
import { type Body, EMAIL, TOKEN, call, classifyFailure, kindOf } from './api.ts';
import { readWebhook } from './hook.ts';
import { addCard, contentOf, toWebex } from './text.ts';

/*
 * Webex messaging for bots. https://developer.webex.com/docs/api/v1/messages/create-a-message
 * Text: 7,439 bytes, plain or in Markdown. One file of up to 100 MB per message, by its URL or uploaded:
 * https://developer.webex.com/docs/basics#message-attachments
 * Buttons are the actions of an Adaptive Card, up to five: https://developer.webex.com/docs/buttons-and-cards
 * A message can be edited 10 times, but not if it has a file or a card:
 * https://developer.webex.com/docs/api/v1/messages/edit-a-message
 * Ids are base64 of a URI: ciscospark://us/ROOM/…, /PEOPLE/… and /MESSAGE/…. A reply is in the thread of its parent.
 * Webhook requests contain ids, signed with HMAC-SHA1: https://developer.webex.com/docs/api/guides/webhooks
 * In groups, bots receive only the messages that mention them.
 */
export const webex: Channel = {
  name: 'webex',
  title: 'Webex',
  category: 'team-chat',
  summary: 'A bot in spaces of Webex, with cards and buttons.',
  keywords: ['cisco', 'spark', 'team', 'meeting'],
  docs: 'https://developer.webex.com/docs/api/v1/messages/create-a-message',
  dashboard: 'https://developer.webex.com/my-apps',
  credentials: [
    {
      name: 'token',
      label: 'Bot access token',
      help: 'At developer.webex.com/my-apps, choose Create a New App > Create a Bot. The token is shown once; Regenerate Access Token creates another one.',
      secret: true,
    },
    {
      name: 'secret',
      label: 'Webhook secret',
      help: 'Any text that only Webex and Switchboard know. If you leave it empty, Switchboard generates it when it registers the webhooks.',
      secret: true,
    },
  ],
  needs: [['token']],
  recipient: {
    format: 'a room ID, a person ID or an email address',
    example: 'Y2lzY29zcGFyazovL3VzL1JPT00vYmJjZWIxYWQtNDNmMS0zYjU4LTkxNDctZjE0YmIwYzRkMTU0',
    validate: (id) =>
      addressOf(id) ? undefined : 'must be a Webex room ID, a person ID or an email address',
  },
  limits: [
    {
      what: '7,439 bytes of text',
      link: 'https://developer.webex.com/docs/api/v1/messages/create-a-message',
    },
    {
      what: '1 file per message, up to 100 MB',
      link: 'https://developer.webex.com/docs/basics#message-attachments',
    },
    {
      what: '10 edits per message, and none of messages with files or buttons',
      link: 'https://developer.webex.com/docs/api/v1/messages/edit-a-message',
    },
  ],
  url: 'https://webexapis.com/v1',
  text: {
    max: 7439,
    unit: 'bytes',
    measure: (text) => Buffer.byteLength(text),
    write: toWebex,
    shows: ['lists', 'headings'],
  },
  renderers: {
    text: (part, { recipient }) => ({ body: { ...addressOf(recipient), ...contentOf(part) } }),
    image: { maxCaptionLength: 7439, compose: withFile },
    video: { maxCaptionLength: 7439, compose: withFile },
    audio: { maxCaptionLength: 7439, compose: withFile },
    document: { maxCaptionLength: 7439, compose: withFile },
    buttons: { max: 5, maxLabelLength: 50, kinds: ['link', 'reply'], add: addCard },
    reply: inThread,
    thread: inThread,
  },

  async send({ body, file }, _message, context) {
    const content = file ? await uploadOf(body, file, context) : body;
    if (isFailure(content)) return content;
    const answer = await call('POST', 'messages', content, context);
    const json = answer?.json();
    const [id, kept] = [textMember(json, 'id'), textMember(json, 'roomId')];
    return answer?.status === 200 && id !== undefined
      ? { outcome: 'sent', id, ...omitUndefined({ kept }) }
      : sentUnlessRefused(answer, classifyFailure(answer, context));
  },

  async edit({ id, kept, recipient }, { body, file }, context) {
    const { roomId = kept } = addressOf(recipient) ?? {};
    if (file || body['files'] || body['attachments']) {
      return cannotEdit('Webex cannot edit messages with files or buttons');
    }
    if (roomId === undefined) return cannotEdit('the room of the message is unknown');
    const change = { roomId, text: body['text'], markdown: body['markdown'] };
    const answer = await call('PUT', pathOf(id), omitUndefined(change), context);
    return answer?.status === 200 && textMember(answer.json(), 'id') !== undefined
      ? { outcome: 'sent', id, kept: roomId }
      : sentUnlessRefused(answer, ofChange(classifyFailure(answer, context)), id);
  },

  async remove({ id }, context) {
    const answer = await call('DELETE', pathOf(id), undefined, context);
    return answer?.status === 204 || answer?.status === 404
      ? { outcome: 'sent' }
      : sentUnlessRefused(answer, ofChange(classifyFailure(answer, context)));
  },

  async check(context) {
    const answer = await call('GET', 'people/me', undefined, context);
    const name = textMember(answer?.json(), 'displayName');
    if (answer?.status === 200 && name !== undefined) return { outcome: 'known', as: name };
    return ofCheck(classifyFailure(answer, context));
  },

  hook: {
    needs: [['secret']],
    setup:
      'Switchboard registers the URL with Webex. To do it yourself, create the webhooks with the Webhooks API and the token of the bot, and copy their `secret` into the field Webhook secret.',
    verify({ header, body }, { credentials: { secret = '' } }) {
      if (secret === '') return 'the integration has no webhook secret';
      const signature = createHmac('sha1', secret).update(body).digest('hex');
      return equalInConstantTime(signature, header('x-spark-signature')?.toLowerCase())
        ? undefined
        : 'the signature does not match';
    },
    parse: ({ body }, context) => readWebhook(jsonBody(body), context),
    register,
  },

  media(reference, context) {
    const { token = '' } = context.credentials;
    if (!TOKEN.test(token)) return Promise.resolve(classifyFailure(undefined, context));
    const isTheirs = reference.startsWith(`${context.url}/contents/`);
    const headers = { authorization: `Bearer ${token}` };
    const detail = 'not a Webex file URL';
    return Promise.resolve(
      isTheirs ? { url: reference, headers } : { outcome: 'permanent', blame: 'content', detail },
    );
  },
};

interface Address {
  roomId?: string;
  toPersonId?: string;
  toPersonEmail?: string;
}

/** The field that names the recipient; undefined if the address is invalid. */
function addressOf(id: string): Address | undefined {
  if (EMAIL.test(id)) return { toPersonEmail: id };
  const kind = kindOf(id);
  if (kind === 'ROOM') return { roomId: id };
  return kind === 'PEOPLE' ? { toPersonId: id } : undefined;
}

function withFile(part: MediaPart, { recipient }: Destination): VendorRequest {
  const body = { ...addressOf(recipient), ...contentOf(part.caption) };
  return part.isReceived ? { body, file: fileOf(part) } : { body: { ...body, files: [part.url] } };
}

function inThread(request: VendorRequest, id: string): VendorRequest | Unsupported {
  if (kindOf(id) !== 'MESSAGE') return { unsupported: 'invalid Webex message ID' };
  return { ...request, body: { ...request.body, parentId: id } };
}

const MAX_FILE_BYTES = 100_000_000;

async function uploadOf(
  body: VendorRequest['body'],
  file: RequestFile,
  context: Context,
): Promise<Body | Failure> {
  const downloaded = await context.download(file.url, { maxBytes: MAX_FILE_BYTES });
  if (isFailure(downloaded)) return downloaded;
  const fields = Object.entries(body).map(([name, value]) => [name, String(value)] as const);
  return multipart([...fields, ['files', toFormFile(file, downloaded)]]);
}

const pathOf = (id: string) => `messages/${encodeURIComponent(id)}`;

const cannotEdit = (detail: string): Failure => ({
  outcome: 'permanent',
  blame: 'unsupported',
  detail,
});

const WEBHOOKS = [
  ['messages', 'created'],
  ['messages', 'updated'],
  ['messages', 'deleted'],
  ['attachmentActions', 'created'],
  ['memberships', 'created'],
  ['memberships', 'deleted'],
] as const;

/** Creates the webhooks first and deletes older ones afterwards, so that no event is missed. */
async function register(targetUrl: string, context: Context): Promise<Check> {
  const secret = await webhookSecret(context);
  const list = await call('GET', 'webhooks?max=100', undefined, context);
  if (!list || !isSuccess(list)) return classifyFailure(list, context);
  for (const [resource, event] of WEBHOOKS) {
    const name = `Switchboard: ${resource} ${event}`;
    const webhook = { name, targetUrl, resource, event, secret };
    const answer = await call('POST', 'webhooks', webhook, context);
    if (!answer || !isSuccess(answer)) return classifyFailure(answer, context);
  }
  for (const each of listMember(list.json(), 'items')) {
    if (textMember(each, 'targetUrl') !== targetUrl) continue;
    const path = `webhooks/${encodeURIComponent(textMember(each, 'id') ?? '')}`;
    const answer = await call('DELETE', path, undefined, context);
    const isGone = answer && (isSuccess(answer) || answer.status === 404);
    if (!isGone) return classifyFailure(answer, context);
  }
  return { outcome: 'known', as: `${WEBHOOKS.length} webhooks` };
}
