import { RotatedToken, type Rotation } from '../../lib/crypto/rotated-token.ts';
import type { FetchAnswer, FetchRequest } from '../../lib/http/fetch.ts';
import { toFormFile } from '../../lib/http/multipart.ts';
import { member, textMember } from '../../lib/json/json-member.ts';
import { isAtHost } from '../../lib/net/vendor-host.ts';
import { EMOJI_NAME } from '../../lib/rich-text/accidental-formats.ts';
import { isUnstyled, plainText, unstyled } from '../../lib/rich-text/rich-text.ts';
import { cut } from '../../lib/text/split.ts';
import {
  type Destination,
  type Channel,
  type Context,
  type Failure,
  type MediaPart,
  type Outcome,
  type RequestFile,
  type Unsupported,
  type VendorRequest,
  fileOf,
  isFailure,
  matching,
  ofCheck,
  unsent,
} from '../channel.ts';
import { sentUnlessRefused } from '../unexpected-success.ts';
import { actionsBlock, escapeSlack, imageBlock, richTextBlock, unescapeSlack } from './blocks.ts';
import { classifyFailure } from './errors.ts';
import { challengeIn, faultOfSlackRequest, readSlackRequest } from './events.ts';
import { SLACK_OPTIONS, changeOf, withSlackOptions } from './options.ts';
import { postedAs } from './posted.ts';
import { isRotated, rotationOf } from './tokens.ts';
import { uploadToSlack } from './upload.ts';

/*
 * Slack Web API. https://docs.slack.dev/reference/methods/chat.postMessage
 * Text: Slack truncates a post after 40,000 characters and recommends 4,000; an update accepts no more than 4,000:
 * https://docs.slack.dev/reference/methods/chat.update
 * About one message a second per conversation, and a limit for the whole workspace:
 * https://docs.slack.dev/apis/web-api/rate-limits
 * Addresses: conversations C…, G…, D…; users U…, W… (opens a direct message); or #name.
 * Slack shows images from their URLs in the types it supports; all other files are uploaded:
 * https://docs.slack.dev/messaging/working-with-files
 * Tokens do not expire, or expire after 12 hours and come with a single-use refresh token:
 * https://docs.slack.dev/authentication/using-token-rotation
 */
export const slack: Channel = {
  name: 'slack',
  title: 'Slack',
  category: 'team-chat',
  summary: 'A bot in the channels and direct messages of a Slack workspace.',
  keywords: ['team', 'workspace', 'dm'],
  docs: 'https://docs.slack.dev/reference/methods/chat.postMessage',
  dashboard: 'https://api.slack.com/apps',
  credentials: [
    {
      name: 'token',
      label: 'Bot token',
      help: 'At api.slack.com/apps, choose your app, then OAuth & Permissions > Bot User OAuth Token. It starts with xoxb-.',
      secret: true,
      format: { pattern: /^xox[a-z](?:\.xox[a-z])?-/, hint: 'Bot tokens start with xoxb-.' },
    },
    {
      name: 'secret',
      label: 'Signing secret',
      help: 'At api.slack.com/apps, choose your app, then Basic Information > App Credentials > Signing Secret.',
      secret: true,
      format: { pattern: /^[\da-f]{32}$/, hint: 'Signing secrets have 32 hexadecimal digits.' },
    },
    {
      name: 'refresh',
      label: 'Refresh token',
      help: 'Only if token rotation is on: shown next to the token under OAuth & Permissions. It starts with xoxe-.',
      secret: true,
      format: { pattern: /^xoxe-/, hint: 'Refresh tokens start with xoxe-.' },
    },
    {
      name: 'consumer_key',
      label: 'Client ID',
      help: 'Only if token rotation is on: Basic Information > App Credentials > Client ID.',
      secret: false,
      format: { pattern: /^\d+\.\d+$/, hint: 'Client IDs look like 1234567890.1234567890.' },
    },
    {
      name: 'consumer_secret',
      label: 'Client secret',
      help: 'Only if token rotation is on: Basic Information > App Credentials > Client Secret.',
      secret: true,
    },
  ],
  needs: [['token'], ['refresh', 'consumer_key', 'consumer_secret']],
  needNames: ['Bot token', 'Token rotation'],
  recipient: {
    format: 'a conversation ID (C…, G… or D…), a member ID (U… or W…) or a #name',
    example: 'C0123456789',
    validate: matching(
      /^([CDGUW][A-Z0-9]{2,30}|#[^\s#@,:<>\p{Cc}]{1,80})$/u,
      'must be a conversation ID (C…, G… or D…), a member ID (U… or W…) or a #name',
    ),
  },
  limits: [
    {
      what: '4,000 characters of text',
      link: 'https://docs.slack.dev/reference/methods/chat.update',
    },
    {
      what: 'about 1 message per second per conversation',
      link: 'https://docs.slack.dev/apis/web-api/rate-limits',
    },
    {
      what: '1 GB per file',
      link: 'https://slack.com/help/articles/201330736-Add-files-to-Slack',
    },
  ],
  url: 'https://slack.com/api',
  text: {
    max: 4000,
    measure: (text) => text.length,
    write: (rich) => escapeSlack(plainText(rich)),
    // Slack reads no markup in blocks, or with `mrkdwn: false`, but shows emoji for their names.
    formats: () => [EMOJI_NAME],
  },
  renderers: {
    // Notifications and clients without blocks show `text`.
    text: ({ text, rich }, { recipient }) => ({
      call: 'chat.postMessage',
      body: isUnstyled(rich)
        ? { channel: recipient, text, mrkdwn: false }
        : { channel: recipient, text, blocks: [richTextBlock(rich)] },
    }),
    image: {
      maxCaptionLength: 4000,
      compose: (part, to) => (isShown(part, to) ? imageRequest(part, to) : upload(part, to)),
    },
    video: { maxCaptionLength: 4000, compose: upload },
    audio: { maxCaptionLength: 4000, compose: upload },
    document: { maxCaptionLength: 4000, compose: upload },
    buttons: {
      max: 25,
      maxLabelLength: 75,
      kinds: ['link', 'reply'],
      withMedia: true,
      payload: { max: 2000, unit: 'characters' },
      add: (request, buttons) =>
        request.file
          ? { unsupported: 'Slack does not show buttons below files' }
          : withBlock(request, actionsBlock(buttons)),
    },
    reply: inThread,
    thread: inThread,
    options: withSlackOptions,
  },
  options: SLACK_OPTIONS,
  pace: { recipient: () => 1 },

  async send({ call: method = '', body, file }, _message, context) {
    if (file) return sendFile(file, body, context);
    const answer = await call(method, body, context);
    return postedAs(answer) ?? sentUnlessRefused(answer, classifyFailure(answer, context));
  },

  async edit({ id }, { body, file }, context) {
    if (file || FILE.test(id)) {
      const detail =
        'Slack can neither edit a message with uploaded files nor add a file to a message';
      return { outcome: 'permanent', blame: 'unsupported', detail };
    }
    // Unlike a post, an update would search the text for names and URLs by default.
    const update = { ...parseId(id), ...changeOf(body), ...blocksOf(body), parse: 'none' };
    const answer = await call('chat.update', update, context);
    if (postedAs(answer)) return { outcome: 'sent', id };
    return sentUnlessRefused(answer, classifyFailure(answer, context), id);
  },

  async remove({ id }, context) {
    const answer = FILE.test(id)
      ? await call('files.delete', { file: id }, context)
      : await call('chat.delete', parseId(id), context);
    const isGone = postedAs(answer) ?? GONE.has(errorOf(answer) ?? '');
    return isGone
      ? { outcome: 'sent' }
      : sentUnlessRefused(answer, classifyFailure(answer, context));
  },

  async check(context) {
    const answer = await call('auth.test', {}, context);
    const { user, team } = namesIn(answer);
    if (!postedAs(answer) || user === undefined) return classifyFailure(answer, context);
    return { outcome: 'known', as: team === undefined ? user : `${user} at ${team}` };
  },

  hook: {
    needs: [['secret']],
    setup:
      'At api.slack.com/apps, choose your app, then Event Subscriptions > Enable Events > Request URL. Enter the same URL under Interactivity & Shortcuts > Request URL.',
    verify: (request, { credentials, clock }) =>
      faultOfSlackRequest(request, credentials.secret, clock.now()),
    parse: (request) => readSlackRequest(request),
    answer: (request) => {
      const text = challengeIn(request);
      return text === undefined ? {} : { text };
    },
  },

  /** https://docs.slack.dev/reference/methods/files.info */
  async media(reference, context) {
    const answer = await call('files.info', new URLSearchParams({ file: reference }), context);
    if (!postedAs(answer) || isFailure(answer)) return classifyFailure(answer, context);
    const file = member(answer.json(), 'file');
    const url = textMember(file, 'url_private_download') ?? textMember(file, 'url_private') ?? '';
    if (!isAtHost(url, 'slack.com', 'slack-gov.com')) {
      return { outcome: 'permanent', blame: 'content', detail: 'not a Slack file URL' };
    }
    const token = await tokenFor(context);
    return typeof token === 'string'
      ? { url, headers: { authorization: `Bearer ${token}` } }
      : token;
  },
};

/** Short enough that the escaped text is within Slack's limit. */
const ALT = { max: 700, measure: (text: string) => text.length };

function imageRequest(part: MediaPart, { recipient }: Destination): VendorRequest {
  const { url, name = 'image', caption } = part;
  const alt = cut(name, ALT);
  const text = caption.text === '' ? escapeSlack(alt) : caption.text;
  const captionBlocks = caption.rich.length === 0 ? [] : [richTextBlock(caption.rich)];
  const blocks = [...captionBlocks, imageBlock(url, alt)];
  return { call: 'chat.postMessage', body: { channel: recipient, text, blocks } };
}

/** Judged by media type or file name; files of unknown type are tried. */
function isShown({ url, mediaType, isReceived }: MediaPart, { recipient }: Destination): boolean {
  if (url.length > 3000) return false;
  if (isReceived && !recipient.startsWith('#')) return false;
  if (mediaType !== undefined) return /^image\/(png|jpe?g|gif)\b/i.test(mediaType);
  const [, extension] = /\.(\w{1,8})$/.exec(URL.parse(url)?.pathname ?? '') ?? [];
  return extension === undefined || /^(png|jpe?g|gif)$/i.test(extension);
}

const MAX_FILE_BYTES = 1_000_000_000;

/** https://docs.slack.dev/reference/methods/files.completeUploadExternal */
function upload(part: MediaPart, { recipient }: Destination): VendorRequest | Unsupported {
  if (recipient.startsWith('#'))
    return { unsupported: 'Slack sends files to IDs only, not to names' };
  const isPerson = /^[UW]/.test(recipient);
  return {
    call: 'files.completeUploadExternal',
    body: {
      ...(isPerson ? { channels: recipient } : { channel_id: recipient }),
      ...commentOf(part.caption),
    },
    file: fileOf(part),
  };
}

/** Slack reads a comment as markup: if it has formatting, or characters that look like it, a block replaces it. */
function commentOf({ text, rich }: MediaPart['caption']): object {
  if (text === '') return {};
  const isPlain = isUnstyled(rich) && !MARKUP.test(text);
  return isPlain ? { initial_comment: text } : { blocks: JSON.stringify([richTextBlock(rich)]) };
}

/** A sent file is identified by its own id, since Slack creates its message later. */
const FILE = /^F[A-Z0-9]{2,30}$/;
const GONE = new Set(['message_not_found', 'file_not_found', 'file_deleted']);

async function sendFile(
  file: RequestFile,
  body: VendorRequest['body'],
  context: Context,
): Promise<Outcome> {
  const downloaded = await context.download(file.url, { maxBytes: MAX_FILE_BYTES });
  if (isFailure(downloaded)) return downloaded;
  const destination = Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, String(value)]),
  );
  const { answer, isPosted, id } = await uploadToSlack(toFormFile(file, downloaded), destination, {
    ...context,
    call: (method, fields) => call(method, new URLSearchParams(fields), context),
  });
  if (isPosted && postedAs(answer)) return { outcome: 'sent', ...(id !== undefined && { id }) };
  const failure = isPosted
    ? classifyFailure(answer, context)
    : unsent(classifyFailure(answer, context));
  if (failure.outcome !== 'permanent' || failure.code !== 'missing_scope') return failure;
  // Messages without files can still be sent.
  const detail = 'the app cannot send files; add the scope files:write';
  return { ...failure, blame: 'unsupported', detail };
}

/** Blocks replace the text, so the text must become a block too. */
function withBlock(request: VendorRequest, block: object): VendorRequest {
  const { blocks, text, mrkdwn: _, ...rest } = request.body;
  const existing = Array.isArray(blocks) ? (blocks as object[]) : [plainBlock(text)];
  return { ...request, body: { ...rest, text, blocks: [...existing, block] } };
}

function plainBlock(text: unknown): object {
  return richTextBlock(unstyled(unescapeSlack(String(text))));
}

const MARKUP = /[*_~`]|&gt;/;

/** An update has no `mrkdwn` parameter: if the text has characters that look like markup, it goes into a block. */
function blocksOf({ blocks, text }: VendorRequest['body']): { blocks?: unknown } {
  if (blocks !== undefined) return { blocks };
  return MARKUP.test(String(text)) ? { blocks: [plainBlock(text)] } : {};
}

const TS = /^\d{1,20}\.\d{1,20}$/;

/** Replies are threads: the id is that of the first message, or its `ts` alone. */
function inThread(request: VendorRequest, id: string): VendorRequest | Unsupported {
  const ts = id.includes(':') ? parseId(id).ts : id;
  if (!TS.test(ts)) return { unsupported: 'a Slack thread ID is the ts of its first message' };
  return { ...request, body: { ...request.body, thread_ts: ts } };
}

/** Slack's response, or why no request was made. */
type CallResult = FetchAnswer | Failure;

const TOKEN = /^[\x21-\x7e]{1,500}$/;
/** Errors of a token that was replaced, or soon will be. */
const OUTDATED = /^(token_expired|token_revoked|invalid_auth)$/;

async function call(method: string, parameters: object, context: Context): Promise<CallResult> {
  const first = await tokenFor(context);
  if (typeof first !== 'string') return first;
  const answer = await callWith(first, method, parameters, context);
  if (!isRotated(context.credentials) || !OUTDATED.test(errorOf(answer) ?? '')) return answer;
  tokensOf(context).forget(first);
  const second = await tokenFor(context);
  return typeof second === 'string' ? callWith(second, method, parameters, context) : second;
}

function tokensOf(context: Context): RotatedToken<Failure> {
  const { token, refresh = '' } = context.credentials;
  return context.resource(() => new RotatedToken<Failure>(token, refresh));
}

async function tokenFor(context: Context): Promise<string | Failure> {
  const { credentials } = context;
  return isRotated(credentials)
    ? tokensOf(context).get(rotation(context))
    : (credentials.token ?? '');
}

async function callWith(
  token: string,
  method: string,
  parameters: object,
  { url, fetch }: Context,
): Promise<CallResult> {
  if (!TOKEN.test(token)) {
    return { outcome: 'permanent', blame: 'credentials', detail: 'invalid bot token' };
  }
  const authorization = `Bearer ${token}`;
  return fetch(`${url}/${method}`, { method: 'POST', ...bodyOf(parameters, { authorization }) });
}

/** The file methods accept forms only. */
function bodyOf(parameters: object, headers: Record<string, string>): FetchRequest {
  const isForm = parameters instanceof URLSearchParams;
  const type = isForm ? 'x-www-form-urlencoded' : 'json; charset=utf-8';
  return {
    headers: { ...headers, 'content-type': `application/${type}` },
    body: isForm ? parameters.toString() : JSON.stringify(parameters),
  };
}

function rotation(context: Context): Rotation<Failure> {
  const refuse = (answer: FetchAnswer) => refusedToken(classifyFailure(answer, context));
  const detail = 'storing the new token failed; the next attempt requests another';
  return rotationOf(context, refuse, { outcome: 'transient', maybeSent: false, detail });
}

/** No message was sent yet, so the message cannot be at fault. */
function refusedToken(failure: Failure): Failure {
  return unsent(ofCheck(failure));
}

function parseId(id: string): { channel: string; ts: string } {
  const [channel = '', ts = ''] = id.split(':');
  return { channel, ts };
}

function errorOf(answer: CallResult): string | undefined {
  return isFailure(answer) ? undefined : textMember(answer.json(), 'error');
}

function namesIn(answer: CallResult): { user?: string | undefined; team?: string | undefined } {
  if (isFailure(answer)) return {};
  const json = answer.json();
  return { user: textMember(json, 'user'), team: textMember(json, 'team') };
}
