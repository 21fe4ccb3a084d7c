import { equalInConstantTime } from '../../lib/crypto/constant-time.ts';
import { type FetchAnswer, type FetchRequest, beforeSending } from '../../lib/http/fetch.ts';
import { fieldsOfBody } from '../../lib/http/form-body.ts';
import { multipart, toFormFile } from '../../lib/http/multipart.ts';
import { retryAfter } from '../../lib/http/retry-after.ts';
import { textMember } from '../../lib/json/json-member.ts';
import { serverAddress } from '../../lib/net/server-address.ts';
import { countCodePoints } from '../../lib/text/code-points.ts';
import {
  type Destination,
  type Channel,
  type Context,
  type Failure,
  type MediaPart,
  type RequestFile,
  type Unsupported,
  type VendorRequest,
  fileOf,
  isFailure,
  matching,
  ofChange,
  ofCheck,
  unsent,
} from '../channel.ts';
import { SERVER_URL } from '../credential-formats.ts';
import { failureClassifier } from '../http-failure.ts';
import { sentUnlessRefused } from '../unexpected-success.ts';
import { readMattermost } from './hook.ts';
import { MATTERMOST_OPTIONS, withMattermostOptions } from './options.ts';
import { MATTERMOST_FORMATS, toMattermost } from './text.ts';

/*
 * Mattermost REST API v4. https://developers.mattermost.com/api-documentation/#/operations/CreatePost
 * Text: 16,383 characters of Markdown, which cannot be turned off. Rate limiting is off by default; when enabled, the
 * default is 10 requests a second. Addresses: ids of 26 lower-case letters and digits.
 * Attachments show images from their URLs:
 * https://developers.mattermost.com/integrate/reference/message-attachments/
 * All other files are uploaded: https://docs.mattermost.com/api/reference/upload-file
 */
export const mattermost: Channel = {
  name: 'mattermost',
  title: 'Mattermost',
  category: 'team-chat',
  summary: 'A bot in a Mattermost workspace.',
  keywords: ['slack', 'self-hosted', 'team'],
  docs: 'https://developers.mattermost.com/api-documentation/#/operations/CreatePost',
  credentials: [
    {
      name: 'address',
      label: 'Server URL',
      help: 'The URL of your Mattermost server, such as https://chat.example.com.',
      secret: false,
      format: SERVER_URL,
    },
    {
      name: 'token',
      label: 'Bot token',
      help: 'In Mattermost, open Integrations > Bot Accounts > Add Bot Account. The token is shown once. Then add the bot to the team and the channel.',
      secret: true,
      format: { pattern: /^[a-z\d]{26}$/, hint: 'Bot tokens have 26 letters and digits.' },
    },
    {
      name: 'secret',
      label: 'Outgoing webhook token',
      help: 'In Mattermost, open Integrations > Outgoing Webhooks and copy the token of the webhook for this integration.',
      secret: true,
    },
  ],
  needs: [['token', 'address']],
  recipient: {
    format: 'a channel ID: 26 lower-case letters and digits, shown under View Info of the channel',
    example: '4xp9fdt77pncbef59f4k1qe83o',
    validate: matching(/^[a-z0-9]{26}$/, 'must be a channel ID: 26 lower-case letters and digits'),
  },
  limits: [
    {
      what: '16,383 characters of text',
      link: 'https://docs.mattermost.com/manage/product-limits.html',
    },
    {
      what: '10 requests per second by default, if the server limits rates',
      link: 'https://docs.mattermost.com/administration-guide/configure/rate-limiting-configuration-settings.html',
    },
    {
      what: '100 MB per file by default',
      link: 'https://docs.mattermost.com/administration-guide/configure/environment-configuration-settings.html#maximum-file-size',
    },
  ],
  text: {
    max: 16_383,
    measure: countCodePoints,
    write: toMattermost,
    formats: () => MATTERMOST_FORMATS,
    shows: ['lists', 'tables', 'headings'],
  },
  renderers: {
    text: ({ text }, { recipient }) => ({ body: { channel_id: recipient, message: text } }),
    image: {
      maxCaptionLength: 16_383,
      compose: (part, to) =>
        part.isReceived || part.isKept ? withFile(part, to) : imageRequest(part, to),
    },
    video: { maxCaptionLength: 16_383, compose: withFile },
    audio: { maxCaptionLength: 16_383, compose: withFile },
    document: { maxCaptionLength: 16_383, compose: withFile },
    // Replies are threads: the id is that of the first post.
    reply: inThread,
    thread: inThread,
    options: withMattermostOptions,
  },
  options: MATTERMOST_OPTIONS,

  async send({ body, file }, { key }, context) {
    const fileIds = file ? await upload(file, String(body['channel_id']), context) : [];
    if (isFailure(fileIds)) return fileIds;
    // The server deduplicates posts by this for half a minute, which is too short to rely on.
    const files = file && { file_ids: fileIds };
    const post = { ...body, ...files, pending_post_id: key };
    const answer = await call('POST', 'posts', post, context);
    const id = answer?.status === 201 ? idOf(answer) : undefined;
    if (id !== undefined) return { outcome: 'sent', id };
    return sentUnlessRefused(answer, classifyFailure(answer, context));
  },

  async edit({ id }, { body, file }, context) {
    // Files that the request does not name stay.
    if (file && !file.isKept) {
      // Servers before version 10.5 would report success and change nothing.
      const detail = 'Mattermost cannot change the files of a post';
      return { outcome: 'permanent', blame: 'unsupported', detail };
    }
    // Without `props`, an earlier image would stay. It is an object, despite the published API document.
    const { message, props = {} } = body;
    const change = file ? { message } : { message, props };
    const answer = await call('PUT', `${pathOf(id)}/patch`, change, context);
    if (isDone(answer)) return { outcome: 'sent', id };
    return sentUnlessRefused(answer, ofChange(classifyFailure(answer, context)), id);
  },

  async remove({ id }, context) {
    const answer = await call('DELETE', pathOf(id), undefined, context);
    const isGone = textMember(answer?.json(), 'id') === 'app.post.get.app_error';
    if (isDone(answer) || isGone) return { outcome: 'sent' };
    return sentUnlessRefused(answer, ofChange(classifyFailure(answer, context)));
  },

  async check(context) {
    const answer = await call('GET', 'users/me', undefined, context);
    const name = textMember(answer?.json(), 'username');
    if (answer?.status === 200 && name !== undefined) return { outcome: 'known', as: `@${name}` };
    return ofCheck(classifyFailure(answer, context));
  },

  hook: {
    needs: [['secret']],
    setup:
      'In Mattermost, open Integrations > Outgoing Webhooks > Add. Enter the URL under Callback URLs, choose the channel or trigger words, and set the content type to application/json. Copy its token into the field Outgoing webhook token.',
    verify({ body, header }, { credentials: { secret = '' } }) {
      const { token } = Object.fromEntries(fieldsOfBody(body, header('content-type')));
      return secret !== '' && equalInConstantTime(secret, token)
        ? undefined
        : 'the webhook token does not match';
    },
    parse: ({ body, header }) => readMattermost(fieldsOfBody(body, header('content-type'))),
    // Mattermost would post any text in the response.
    answer: () => ({ text: '{}', type: 'application/json' }),
  },

  media(reference, context) {
    const { address = '', token = '' } = context.credentials;
    const base = serverAddress(address);
    if (base === undefined || !TOKEN.test(token)) {
      return Promise.resolve(classifyFailure(undefined, context));
    }
    if (!ID.test(reference)) {
      const detail = 'invalid Mattermost file ID';
      return Promise.resolve({ outcome: 'permanent', blame: 'content', detail });
    }
    const headers = { authorization: `Bearer ${token}` };
    return Promise.resolve({ url: `${base}/api/v4/files/${reference}`, headers });
  },
};

/** Posts with other ids are refused. */
const ID = /^[a-z0-9]{26}$/;

function inThread(request: VendorRequest, id: string): VendorRequest | Unsupported {
  if (!ID.test(id)) return { unsupported: 'Mattermost post IDs have 26 letters and digits' };
  return { ...request, body: { ...request.body, root_id: id } };
}

function imageRequest(
  { url, name, caption }: MediaPart,
  { recipient }: Destination,
): VendorRequest {
  return {
    body: {
      channel_id: recipient,
      message: caption.text,
      props: { attachments: [{ fallback: name ?? url, image_url: url }] },
    },
  };
}

function withFile(part: MediaPart, { recipient }: Destination): VendorRequest {
  return { body: { channel_id: recipient, message: part.caption.text }, file: fileOf(part) };
}

async function upload(
  file: RequestFile,
  channel: string,
  context: Context,
): Promise<string[] | Failure> {
  const downloaded = await context.download(file.url, { maxBytes: Number.POSITIVE_INFINITY });
  if (isFailure(downloaded)) return downloaded;
  const form = multipart([
    ['channel_id', channel],
    ['files', toFormFile(file, downloaded)],
  ]);
  const answer = await beforeSending(async () => call('POST', 'files', form, context));
  const id = textMember(answer?.json(), 'file_infos', '0', 'id');
  if (answer?.status === 201 && id !== undefined) return [id];
  return unsent(classifyFailure(answer, context));
}

const pathOf = (id: string) => `posts/${encodeURIComponent(id)}`;

type Form = ReturnType<typeof multipart>;

const TOKEN = /^[\x21-\x7e]{1,500}$/;

/** Undefined when the server address is malformed, or the token contains characters that headers cannot hold. */
async function call(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body: object | Form | undefined,
  { credentials: { address = '', token = '' }, fetch }: Context,
): Promise<FetchAnswer | undefined> {
  const base = serverAddress(address);
  if (base === undefined || !TOKEN.test(token)) return undefined;
  const authorization = `Bearer ${token}`;
  const url = `${base}/api/v4/${path}`;
  const { headers, ...rest } = encoded(body);
  return fetch(url, { method, headers: { authorization, ...headers }, ...rest });
}

function encoded(body: object | Form | undefined): FetchRequest {
  if (!body || 'headers' in body) return body ?? {};
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** The response repeats the text, so it may be truncated after a long one. The id comes first. */
function idOf(answer: FetchAnswer): string | undefined {
  if (!answer.truncated) return textMember(answer.json(), 'id');
  return /^\s*\{\s*"id"\s*:\s*"([a-z0-9]{26})"/.exec(answer.text)?.[1];
}

const isDone = (answer: FetchAnswer | undefined) =>
  answer?.status === 200 && answer.json() !== undefined;

/** Classifies a failed response. https://developers.mattermost.com/api-documentation/#/#error-handling */
const classifyFailure = failureClassifier({
  vendor: 'Mattermost',
  malformed: 'invalid server address or access token',
  isPrefixed: true,
  isOwnServer: true,
  read(answer) {
    const code = textMember(answer.json(), 'id');
    return { code, message: code === undefined ? '' : textMember(answer.json(), 'message') };
  },
  retrySeconds: (answer, now) => retryAfter(answer.header('x-ratelimit-reset'), now),
  // The server disabled the feature.
  exception: ({ status }) => (status === 501 ? 'permanent' : undefined),
  blame({ status, code }) {
    if (status === 401) return 'credentials';
    if (status === 501 || /attachments\.disabled/.test(code)) return 'unsupported';
    // Mattermost also reports a missing permission for an unknown channel, or one the bot is not in.
    return status === 403 || status === 404 || CHANNEL_ERROR.test(code) ? 'recipient' : 'content';
  },
});

/** The channel is archived or restricted, or its id is invalid. */
const CHANNEL_ERROR = /can_not_post_to_deleted|restricted_dm|channel_id|deleted_channel/;
