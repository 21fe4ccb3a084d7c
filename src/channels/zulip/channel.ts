import { equalInConstantTime } from '../../lib/crypto/constant-time.ts';
import { type FetchAnswer, type FetchRequest, beforeSending } from '../../lib/http/fetch.ts';
import { multipart, toFormFile } from '../../lib/http/multipart.ts';
import { jsonBody } from '../../lib/json/json-body.ts';
import { integerMember, member, textMember } from '../../lib/json/json-member.ts';
import { serverAddress } from '../../lib/net/server-address.ts';
import { unstyled } from '../../lib/rich-text/rich-text.ts';
import { countCodePoints } from '../../lib/text/code-points.ts';
import { fileName } from '../../lib/text/file-name.ts';
import {
  type Destination,
  type Channel,
  type Context,
  type Failure,
  type MediaPart,
  type RequestFile,
  type Unsupported,
  type VendorRequest,
  isFailure,
  ofChange,
  ofCheck,
  unsent,
} from '../channel.ts';
import { EMAIL_ADDRESS, SERVER_URL } from '../credential-formats.ts';
import { failureClassifier } from '../http-failure.ts';
import { sentUnlessRefused } from '../unexpected-success.ts';
import { readZulip } from './hook.ts';
import { ZULIP_FORMATS, linkTo, toZulip } from './text.ts';

/*
 * Zulip REST API. https://zulip.com/api/send-message
 * Text: 10,000 characters, truncated beyond that; stream and topic 60 each, unless the server states other limits
 * (https://zulip.com/api/register-queue). 200 requests a minute by default.
 * Addresses: stream/topic, split at the first slash; or user ids, separated by commas. Files are uploaded and linked:
 * https://zulip.com/api/upload-file
 */
export const zulip: Channel = {
  name: 'zulip',
  title: 'Zulip',
  category: 'team-chat',
  summary: 'A bot in the topics of a Zulip organization.',
  keywords: ['self-hosted', 'team', 'topic'],
  docs: 'https://zulip.com/api/send-message',
  credentials: [
    {
      name: 'address',
      label: 'Organization URL',
      help: 'The URL of your Zulip organization, such as https://example.zulipchat.com.',
      secret: false,
      format: SERVER_URL,
    },
    {
      name: 'username',
      label: 'Bot email',
      help: 'In Zulip, open Personal settings > Bots and copy the email of your bot.',
      secret: false,
      format: EMAIL_ADDRESS,
    },
    {
      name: 'token',
      label: 'API key',
      help: 'In Zulip, open Personal settings > Bots and copy the API key of your bot.',
      secret: true,
    },
    {
      name: 'secret',
      label: 'Outgoing webhook token',
      help: 'The token in the zuliprc file of an Outgoing webhook bot, under Personal settings > Bots.',
      secret: true,
    },
  ],
  needs: [['username', 'token', 'address']],
  recipient: {
    format: 'stream/topic, or user IDs separated by commas',
    example: 'general/greetings',
    validate: (id) =>
      isTopic(id) || isPeople(id)
        ? undefined
        : 'must be stream/topic, or user IDs separated by commas',
  },
  limits: [
    {
      what: '10,000 characters of text by default',
      link: 'https://zulip.com/api/register-queue',
    },
    {
      what: '200 requests per minute by default',
      link: 'https://zulip.com/api/rest-error-handling',
    },
    {
      what: 'a file size set by the server, 25 MiB by default',
      link: 'https://zulip.com/api/upload-file',
    },
  ],
  text: {
    max: 10_000,
    measure: countCodePoints,
    write: toZulip,
    formats: () => ZULIP_FORMATS,
    shows: ['lists', 'tables', 'headings'],
  },
  renderers: {
    text: ({ text }, { recipient }) => ({ body: { ...addressed(recipient), content: text } }),
    image: { maxCaptionLength: 5000, compose: linked },
    video: { maxCaptionLength: 5000, compose: linked },
    audio: { maxCaptionLength: 5000, compose: linked },
    document: { maxCaptionLength: 5000, compose: linked },
    thread: underTopic,
  },
  pace: { integration: { count: 200, seconds: 60, burst: 100 } },

  async send({ body, file }, _message, context) {
    const content = await withUpload(body, file, context);
    if (typeof content !== 'string') return content;
    const answer = await call('POST', 'messages', { ...body, content }, context);
    const id = integerMember(answer?.json(), 'id');
    if (isOk(answer) && id !== undefined) return { outcome: 'sent', id };
    return sentUnlessRefused(answer, classifyFailure(answer, context));
  },

  // https://zulip.com/api/update-message
  async edit({ id }, { body, file }, context) {
    const content = await withUpload(body, file, context);
    if (typeof content !== 'string') return content;
    const answer = await call('PATCH', pathOf(id), { content }, context);
    if (isOk(answer)) return { outcome: 'sent', id };
    return sentUnlessRefused(answer, ofChange(classifyFailure(answer, context)), id);
  },

  // https://zulip.com/api/delete-message
  async remove({ id }, context) {
    const answer = await call('DELETE', pathOf(id), undefined, context);
    const isGone = /Invalid message/.test(textMember(answer?.json(), 'msg') ?? '');
    if (isOk(answer) || isGone) return { outcome: 'sent' };
    return sentUnlessRefused(answer, ofChange(classifyFailure(answer, context)));
  },

  // https://zulip.com/api/get-own-user
  async check(context) {
    const answer = await call('GET', 'users/me', undefined, context);
    const name = textMember(answer?.json(), 'full_name');
    if (isOk(answer) && name !== undefined) return { outcome: 'known', as: name };
    return ofCheck(classifyFailure(answer, context));
  },

  hook: {
    needs: [['secret']],
    setup:
      'In Zulip, open Personal settings > Bots > Add a new bot and choose the type Outgoing webhook. Enter the URL as Endpoint URL, with the interface Generic. Copy the token from its zuliprc file into the field Outgoing webhook token.',
    verify({ body }, { credentials: { secret = '' } }) {
      const isTheirs = equalInConstantTime(secret, textMember(jsonBody(body), 'token'));
      return secret !== '' && isTheirs ? undefined : 'the bot token does not match';
    },
    parse: ({ body }) => readZulip(jsonBody(body)),
    // Without it, Zulip would report that the bot did not respond.
    answer: () => ({ text: '{"response_not_required":true}', type: 'application/json' }),
  },

  // https://zulip.com/api/get-file-temporary-url
  async media(reference, context) {
    const base = serverAddress(context.credentials.address ?? '');
    if (
      !reference.split('/').every((step) => /^(?!(?:\.|%2e){1,2}$)[\w.%~-]{1,300}$/i.test(step))
    ) {
      const detail = 'not a file uploaded to Zulip';
      return { outcome: 'permanent', blame: 'content', detail };
    }
    const answer = await call('GET', `user_uploads/${reference}`, undefined, context);
    const found = URL.parse(textMember(answer?.json(), 'url') ?? '', base);
    // The URL is public for a minute.
    return isOk(answer) && found && found.origin === URL.parse(base ?? '')?.origin
      ? { url: found.href }
      : classifyFailure(answer, context);
  },
};

// A topic may be empty ("general chat"), a stream may not. The server checks their lengths.
function isTopic(id: string): boolean {
  return /^[^/\p{Cc}]{1,200}\/[^\p{Cc}]{0,200}$/u.test(id);
}

function isPeople(id: string): boolean {
  return id.length <= 1024 && id.split(',').every((person) => /^\d{1,10}$/.test(person));
}

/** In JSON, a name stays a name even if it consists of digits. */
function addressed(recipient: string): object {
  if (isPeople(recipient)) {
    return { type: 'direct', to: JSON.stringify(recipient.split(',').map(Number)) };
  }
  const slash = recipient.indexOf('/');
  const [stream, topic] = [recipient.slice(0, slash), recipient.slice(slash + 1)];
  return { type: 'stream', to: JSON.stringify(stream), topic };
}

/** A link to the file, below its caption. */
function linked(
  { url, name, mediaType, caption: { text } }: MediaPart,
  to: Destination,
): VendorRequest {
  const label = fileName(url, name, mediaType ?? '');
  const link = linkTo(toZulip(unstyled(label)), url);
  return {
    body: { ...addressed(to.recipient), content: text === '' ? link : `${text}\n${link}` },
    file: { url, name: label, ...(mediaType !== undefined && { mediaType }) },
  };
}

/** The URL in brackets at the end of a link. */
const target = (url: string) => linkTo('', url).slice(2);

/** Uploads the linked file and replaces its URL, which `body` ends with. */
async function withUpload(
  { content }: VendorRequest['body'],
  file: RequestFile | undefined,
  context: Context,
): Promise<string | Failure> {
  const text = String(content);
  if (!file) return text;
  const downloaded = await context.download(file.url, { maxBytes: Number.POSITIVE_INFINITY });
  if (isFailure(downloaded)) return downloaded;
  const form = multipart([['filename', toFormFile(file, downloaded)]]);
  const answer = await beforeSending(async () => call('POST', 'user_uploads', form, context));
  const json = answer?.json();
  // Servers before version 9 return only the latter.
  const url = textMember(json, 'url') ?? textMember(json, 'uri');
  if (!isOk(answer) || url === undefined) return refusedUpload(classifyFailure(answer, context));
  return text.slice(0, -target(file.url).length) + target(url);
}

/** Nothing was sent yet. */
function refusedUpload(failure: Failure): Failure {
  const isRefused = failure.outcome === 'permanent' && failure.blame === 'recipient';
  return isRefused ? { ...failure, blame: 'content' } : unsent(failure);
}

/** A thread is a topic. A message id names none; the recipient already names the topic of an earlier message of ours. */
function underTopic(request: VendorRequest, id: string): VendorRequest | Unsupported {
  if (request.body['type'] === 'direct')
    return { unsupported: 'Zulip supports topics in channels only' };
  if (/^\d+$/.test(id)) return { unsupported: 'a Zulip thread is a topic, not a message' };
  return { ...request, body: { ...request.body, topic: id } };
}

const pathOf = (id: string) => `messages/${encodeURIComponent(id)}`;

type Form = ReturnType<typeof multipart>;

const EMAIL = /^[\x21-\x39\x3b-\x7e]{1,320}$/;
const KEY = /^[\x21-\x7e]{1,200}$/;

/** Undefined when the server address is malformed, or the credentials contain characters that headers cannot hold. */
async function call(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  fields: object | Form | undefined,
  { credentials: { address = '', username = '', token = '' }, fetch }: Context,
): Promise<FetchAnswer | undefined> {
  const base = serverAddress(address);
  if (base === undefined || !EMAIL.test(username) || !KEY.test(token)) return undefined;
  const authorization = `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`;
  const url = `${base}/api/v1/${path}`;
  const { headers, ...rest } = written(fields);
  return fetch(url, { method, headers: { authorization, ...headers }, ...rest });
}

function written(fields: object | Form | undefined): FetchRequest {
  if (!fields || 'headers' in fields) return fields ?? {};
  return {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(Object.entries(fields)).toString(),
  };
}

function isOk(answer: FetchAnswer | undefined): boolean {
  return answer?.status === 200 && member(answer.json(), 'result') === 'success';
}

/** Classifies a failed response. https://zulip.com/api/rest-error-handling */
const classifyFailure = failureClassifier({
  vendor: 'Zulip',
  malformed: 'invalid server address, email or API key',
  isPrefixed: true,
  isOwnServer: true,
  errorsIn2xx: true,
  read(answer) {
    const json = answer.json();
    const isVendorFormat = member(json, 'result') === 'error';
    return { code: textMember(json, 'code'), message: textMember(json, 'msg'), isVendorFormat };
  },
  retrySeconds(answer) {
    const seconds = member(answer.json(), 'retry-after');
    return typeof seconds === 'number' ? Math.ceil(seconds) : undefined;
  },
  blame({ status, code, message }) {
    if (status === 401 || OF_CREDENTIALS.test(code)) return 'credentials';
    const isUnnamed = code === 'BAD_REQUEST' || code === String(status);
    const isOfRecipient = isUnnamed && ABOUT_RECIPIENT.test(message);
    return OF_RECIPIENT.test(code) || isOfRecipient ? 'recipient' : 'content';
  },
});

const OF_CREDENTIALS =
  /^(UNAUTHORIZED|INVALID_API_KEY|UNAUTHENTICATED_USER|AUTHENTICATION_FAILED|USER_DEACTIVATED|REALM_DEACTIVATED|NONEXISTENT_SUBDOMAIN)$/;
const OF_RECIPIENT = /^(STREAM_DOES_NOT_EXIST|PERMISSION_DENIED|CANNOT_ADMINISTER_CHANNEL)$/;
/** Most refusals have no code, so the message text decides. */
const ABOUT_RECIPIENT =
  /\b(user|users|recipients?|email|channel|stream|topics?|direct messages?|permission)\b/i;
