import { equalInConstantTime } from '../../lib/crypto/constant-time.ts';
import { type FetchAnswer, type FetchRequest, beforeSending } from '../../lib/http/fetch.ts';
import { multipart, toFormFile } from '../../lib/http/multipart.ts';
import { jsonBody } from '../../lib/json/json-body.ts';
import { integerMember, member, textMember } from '../../lib/json/json-member.ts';
import { serverAddress } from '../../lib/net/server-address.ts';
import {
  type Destination,
  type Channel,
  type Context,
  type Failure,
  type MediaPart,
  type Outcome,
  type RequestFile,
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
import { readRocketChat } from './hook.ts';
import { ROCKETCHAT_OPTIONS, withRocketChatOptions } from './options.ts';
import { ROCKETCHAT_FORMATS, hasRocketChatClash, toRocketChat } from './text.ts';

/*
 * Rocket.Chat REST API. https://developer.rocket.chat/apidocs/post-message
 * Text: 5,000 characters. 10 requests a minute per endpoint, without a limit for users with the role bot; servers can
 * change both. Addresses: room ids, #channel or @username, all sent as `roomId`: with `channel`, threads are not
 * accepted. Attachments show images from their URLs; all other files are uploaded to a room, which requires its
 * id: https://developer.rocket.chat/apidocs/upload-media-files-to-a-room
 */
export const rocketchat: Channel = {
  name: 'rocketchat',
  title: 'Rocket.Chat',
  category: 'team-chat',
  summary: 'A bot in a Rocket.Chat workspace.',
  keywords: ['rocket chat', 'self-hosted', 'team'],
  docs: 'https://developer.rocket.chat/apidocs/post-message',
  credentials: [
    {
      name: 'address',
      label: 'Server URL',
      help: 'The URL of your Rocket.Chat server, such as https://chat.example.com.',
      secret: false,
      format: SERVER_URL,
    },
    {
      name: 'token',
      label: 'Personal access token',
      help: 'In Rocket.Chat, sign in as the sending user, click the avatar and open Profile > Personal access tokens > Add.',
      secret: true,
    },
    {
      name: 'username',
      label: 'User ID',
      help: 'Shown with the personal access token: 17 letters and digits, not the login name.',
      secret: false,
      format: {
        pattern: /^[A-Za-z\d]{17}$/,
        hint: 'User IDs have 17 letters and digits; they are not login names.',
      },
    },
    {
      name: 'secret',
      label: 'Outgoing webhook token',
      help: 'In Rocket.Chat, open Administration > Integrations > Outgoing and copy the token of the webhook for this integration.',
      secret: true,
    },
  ],
  needs: [['token', 'username', 'address']],
  recipient: {
    format: 'a room ID, a #channel or a @username',
    example: '#general',
    validate: matching(
      /^[#@]?[^\s#@\p{Cc}][^\s\p{Cc}]{0,254}$/u,
      'must be a room ID, a #channel or a @username, without spaces',
    ),
  },
  limits: [
    {
      what: '5,000 characters of text by default',
      link: 'https://docs.rocket.chat/docs/message',
    },
    {
      what: '10 calls per minute per endpoint by default',
      link: 'https://docs.rocket.chat/docs/rate-limiter',
    },
    {
      what: '100 MiB per file by default, and the file types that the server accepts',
      link: 'https://docs.rocket.chat/docs/file-upload',
    },
  ],
  text: {
    max: 5000,
    measure: (text) => text.length,
    write: toRocketChat,
    clashes: hasRocketChatClash,
    formats: () => ROCKETCHAT_FORMATS,
    // Lists have one level, and leading spaces are not shown.
    dropsIndents: () => true,
  },
  renderers: {
    text: ({ text }, { recipient }) => ({ body: { roomId: recipient, text } }),
    image: {
      maxCaptionLength: 5000,
      compose: (part, to) =>
        part.isReceived || part.isKept ? upload(part) : imageRequest(part, to),
    },
    video: { maxCaptionLength: 5000, compose: upload },
    audio: { maxCaptionLength: 5000, compose: upload },
    document: { maxCaptionLength: 5000, compose: upload },
    // Replies are threads: the id is that of the first message.
    reply: inThread,
    thread: inThread,
    options: withRocketChatOptions,
  },
  options: ROCKETCHAT_OPTIONS,

  async send({ body, file }, { recipient }, context) {
    if (file) return sendFile(file, body, recipient, context);
    return sentAs(await call('POST', 'chat.postMessage', body, context), context);
  },

  async edit({ id }, { body, file }, context) {
    const { text = body['msg'] ?? '', attachments } = body;
    // Existing files stay, although the request does not contain them.
    if (attachments !== undefined || (file && !file.isKept)) {
      return {
        outcome: 'permanent',
        blame: 'unsupported',
        detail: 'Rocket.Chat can edit text messages only',
      };
    }
    const answer = await call('POST', 'chat.update', { ...parseId(id), text }, context);
    if (isOk(answer)) return { outcome: 'sent', id };
    return sentUnlessRefused(answer, ofChange(classifyFailure(answer, context)), id);
  },

  async remove({ id }, context) {
    const answer = await call('POST', 'chat.delete', parseId(id), context);
    const isGone = textMember(answer?.json(), 'error')?.startsWith('No message found') === true;
    if (isOk(answer) || isGone) return { outcome: 'sent' };
    return sentUnlessRefused(answer, ofChange(classifyFailure(answer, context)));
  },

  async check(context) {
    const answer = await call('GET', 'me', undefined, context);
    const name = textMember(answer?.json(), 'username');
    if (isOk(answer) && name !== undefined) return { outcome: 'known', as: `@${name}` };
    return ofCheck(classifyFailure(answer, context));
  },

  hook: {
    needs: [['secret']],
    setup:
      'In Rocket.Chat, open Administration > Integrations > New > Outgoing. Choose the event Message Sent and the channels, and enter the URL under URLs. Copy its token into the field Outgoing webhook token.',
    verify({ body }, { credentials: { secret = '' } }) {
      const isTheirs = equalInConstantTime(secret, textMember(jsonBody(body), 'token'));
      return secret !== '' && isTheirs ? undefined : 'the webhook token does not match';
    },
    parse: ({ body }, { credentials: { username } }) => readRocketChat(jsonBody(body), username),
    // Rocket.Chat treats an empty response as none, and would post any text.
    answer: () => ({ text: '{}', type: 'application/json' }),
  },

  media(reference, context) {
    const { address = '', username = '', token = '' } = context.credentials;
    const base = serverAddress(address);
    if (base === undefined || !IN_HEADER.test(username) || !IN_HEADER.test(token)) {
      return Promise.resolve(classifyFailure(undefined, context));
    }
    if (!/^[\w%~-]{1,100}\/[\w%!'()*.~-]{1,1000}$/.test(reference)) {
      const detail = 'invalid Rocket.Chat file reference';
      return Promise.resolve({ outcome: 'permanent', blame: 'content', detail });
    }
    const headers = { 'x-auth-token': token, 'x-user-id': username };
    return Promise.resolve({ url: `${base}/file-upload/${reference}`, headers });
  },
};

function imageRequest(
  { url, name, caption: { text } }: MediaPart,
  { recipient }: Destination,
): VendorRequest {
  const attachments = [{ title: name ?? url, image_url: url }];
  return { body: { roomId: recipient, ...(text !== '' && { text }), attachments } };
}

function upload(part: MediaPart): VendorRequest {
  const { text } = part.caption;
  return {
    call: 'rooms.mediaConfirm',
    body: { ...(text !== '' && { msg: text }) },
    file: fileOf(part),
  };
}

function sentAs(answer: FetchAnswer | undefined, context: Context): Outcome {
  if (!isOk(answer)) return sentUnlessRefused(answer, classifyFailure(answer, context));
  const json = answer?.json();
  const [room, id] = [textMember(json, 'message', 'rid'), textMember(json, 'message', '_id')];
  // Editing a message requires its room id.
  const hasId = room !== undefined && id !== undefined;
  return { outcome: 'sent', ...(hasId && { id: `${room}:${id}` }) };
}

/** Uploads the file to the room, where it is invisible, and then posts it. */
async function sendFile(
  file: RequestFile,
  body: VendorRequest['body'],
  recipient: string,
  context: Context,
): Promise<Outcome> {
  const downloaded = await context.download(file.url, { maxBytes: Number.POSITIVE_INFINITY });
  if (isFailure(downloaded)) return downloaded;
  const room = await beforeSending(async () => roomOf(recipient, context));
  if (typeof room !== 'string') return unsent(room);
  const form = multipart([['file', toFormFile(file, downloaded)]]);
  const path = encodeURIComponent(room);
  const uploaded = await beforeSending(async () =>
    call('POST', `rooms.media/${path}`, form, context),
  );
  const id = textMember(uploaded?.json(), 'file', '_id');
  if (!isOk(uploaded) || id === undefined) return refusedUpload(classifyFailure(uploaded, context));
  const confirm = `rooms.mediaConfirm/${path}/${encodeURIComponent(id)}`;
  return sentAs(await call('POST', confirm, body, context), context);
}

/** A refused file says nothing about the room. */
function refusedUpload(failure: Failure): Failure {
  const isFile = failure.outcome === 'permanent' && /file/.test(failure.code ?? '');
  return isFile ? { ...failure, blame: 'content' } : unsent(failure);
}

/** Caches room ids. */
class Rooms extends Map<string, string> {
  close(): void {
    this.clear();
  }
}

const MAX_ROOMS = 1000;

/** The id of the room for #channel or @username. */
async function roomOf(recipient: string, context: Context): Promise<string | Failure> {
  const [prefix, name] = [recipient[0], recipient.slice(1)];
  if (prefix !== '#' && prefix !== '@') return recipient;
  const rooms = context.resource(() => new Rooms());
  const cached = rooms.get(recipient);
  if (cached !== undefined) return cached;
  const answer =
    prefix === '#'
      ? await call('GET', `rooms.info?roomName=${encodeURIComponent(name)}`, undefined, context)
      : await call('POST', 'im.create', { username: name }, context);
  const id = textMember(answer?.json(), 'room', '_id');
  if (!isOk(answer) || id === undefined) return classifyFailure(answer, context);
  if (rooms.size >= MAX_ROOMS) rooms.clear();
  rooms.set(recipient, id);
  return id;
}

function inThread(request: VendorRequest, id: string): VendorRequest {
  return { ...request, body: { ...request.body, tmid: parseId(id).msgId } };
}

function parseId(id: string): { roomId: string; msgId: string } {
  const colon = id.lastIndexOf(':');
  return { roomId: id.slice(0, Math.max(colon, 0)), msgId: id.slice(colon + 1) };
}

type Form = ReturnType<typeof multipart>;

const IN_HEADER = /^[\x21-\x7e]{1,200}$/;

/** Undefined when the server address is malformed, or the credentials contain characters that headers cannot hold. */
async function call(
  method: 'GET' | 'POST',
  path: string,
  body: object | Form | undefined,
  { credentials: { address = '', username = '', token = '' }, fetch }: Context,
): Promise<FetchAnswer | undefined> {
  const base = serverAddress(address);
  if (base === undefined || !IN_HEADER.test(username) || !IN_HEADER.test(token)) return undefined;
  const authHeaders = { 'x-auth-token': token, 'x-user-id': username };
  const url = `${base}/api/v1/${path}`;
  const { headers, ...rest } = encodeBody(body);
  return fetch(url, { method, headers: { ...authHeaders, ...headers }, ...rest });
}

function encodeBody(body: object | Form | undefined): FetchRequest {
  if (!body || 'headers' in body) return body ?? {};
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function isOk(answer: FetchAnswer | undefined): boolean {
  return answer?.status === 200 && member(answer.json(), 'success') === true;
}

/** Classifies a failed response. */
const classifyFailure = failureClassifier({
  vendor: 'Rocket.Chat',
  malformed: 'invalid server address, user ID or access token',
  isPrefixed: true,
  isOwnServer: true,
  errorsIn2xx: true,
  read(answer) {
    const json = answer.json();
    const message = textMember(json, 'error') ?? textMember(json, 'message') ?? '';
    return {
      code: textMember(json, 'errorType') ?? /\[([\w-]+)\]$/.exec(message)?.[1],
      message,
      isVendorFormat: member(json, 'success') === false || member(json, 'status') === 'error',
    };
  },
  rateLimit: ({ status, code }) =>
    status === 429 || code === 'error-too-many-requests' ? 'integration' : undefined,
  retrySeconds(answer, now) {
    const stated = integerMember(answer.json(), 'details', 'seconds');
    // A Unix time in milliseconds.
    const reset = /^\d{13}$/.exec(answer.header('x-ratelimit-reset') ?? '')?.[0];
    if (stated === undefined && reset === undefined) return undefined;
    return Math.max(0, Math.ceil(Number(stated ?? (Number(reset) - now) / 1000)));
  },
  // Few refusals have a code, so the message text decides.
  blame({ status, code, message }) {
    const text = `${code} ${message}`;
    if (status === 401) return 'credentials';
    if (status === 413 || OF_CONTENT.test(text)) return 'content';
    return [403, 404].includes(status) || OF_RECIPIENT.test(text) ? 'recipient' : 'content';
  },
});

const OF_CONTENT = /size-exceeded|too.?long|invalid href|match error|invalid-params|thread/i;
const OF_RECIPIENT =
  /room|channel|\buser|archived|not.?allowed|unauthorized|permission|read.?only|muted|blocked/i;
