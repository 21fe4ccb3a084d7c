import { idempotencyKey } from '../../lib/crypto/idempotency-key.ts';
import type { FetchAnswer, FetchRequest } from '../../lib/http/fetch.ts';
import { type FormFile, multipart, toFormFile } from '../../lib/http/multipart.ts';
import { jsonBody } from '../../lib/json/json-body.ts';
import { member, numberMember, textMember } from '../../lib/json/json-member.ts';
import { isAtHost } from '../../lib/net/vendor-host.ts';
import { toMarkdownBlocks } from '../../lib/rich-text/markdown.ts';
import { VERSION } from '../../lib/runtime/version.ts';
import { payloadOf } from '../../model/button.ts';
import {
  type Button,
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
} from '../channel.ts';
import { sentUnlessRefused } from '../unexpected-success.ts';
import { DISCORD_CREDENTIALS } from './credentials.ts';
import { classifyResponse, codeOf } from './errors.ts';
import { answerToDiscord, faultOfDiscordRequest, readDiscordCall } from './interactions.ts';
import { listenToDiscord } from './listening.ts';
import { attachmentUrl } from './messages.ts';
import { DISCORD_OPTIONS, changeOf, withDiscordOptions } from './options.ts';
import { DISCORD_LAYOUT, DISCORD_DELIMITERS } from './text.ts';

/*
 * Discord HTTP API v10. https://docs.discord.com/developers/resources/message#create-message
 * Text: 2,000 characters. Rate limits are stated per route in the X-RateLimit headers; across all routes the limit is
 * 50 requests a second: https://docs.discord.com/developers/topics/rate-limits
 * Addresses are snowflakes, 64-bit integers in decimal. A thread is a channel of its own.
 * Discord shows images and videos from their URLs, in the types it supports:
 * https://docs.discord.com/developers/components/reference#unfurled-media-item
 * All other files are uploaded: https://docs.discord.com/developers/reference#uploading-files
 */
/** An id has up to 100 characters, of which three are reserved for its number. */
const MAX_ID_LENGTH = 97;

export const discord: Channel = {
  name: 'discord',
  title: 'Discord',
  category: 'team-chat',
  summary: 'A bot in the channels of a Discord server, or in direct messages.',
  keywords: ['gaming', 'community', 'guild', 'dm'],
  docs: 'https://docs.discord.com/developers/resources/message#create-message',
  dashboard: 'https://discord.com/developers/applications',
  credentials: DISCORD_CREDENTIALS,
  needs: [['token']],
  recipient: {
    format: 'the ID of a text channel, thread or direct message (a snowflake, all digits)',
    example: '175928847299117063',
    validate: matching(/^[1-9]\d{0,19}$/, 'must be a Discord channel ID, all digits'),
  },
  limits: [
    {
      what: '2,000 characters of text',
      link: 'https://docs.discord.com/developers/resources/message#create-message',
    },
    {
      what: '50 requests per second in total, and a limit per channel that Discord states in its responses',
      link: 'https://docs.discord.com/developers/topics/rate-limits',
    },
    {
      what: '10 MiB per file, up to 100 MiB on boosted servers',
      link: 'https://docs.discord.com/developers/reference#uploading-files',
    },
  ],
  url: 'https://discord.com/api/v10',
  // Whether a character beyond 16 bits counts once or twice is not documented; twice is safe.
  text: {
    max: 2000,
    measure: (text) => text.length,
    write: (rich) => toMarkdownBlocks(rich, DISCORD_DELIMITERS, DISCORD_LAYOUT),
    shows: ['lists', 'headings'],
  },
  renderers: {
    text: ({ text }, { recipient }) => messageTo(recipient, { content: text }),
    image: {
      maxCaptionLength: 2000,
      compose: (part, { recipient }) =>
        !part.isKept && isShown(part, IMAGE)
          ? messageTo(recipient, {
              ...contentOf(part),
              embeds: [{ image: { url: part.url } }],
            })
          : upload(part, recipient),
    },
    // A bot's embed cannot hold a video. A gallery can, in a message that consists of components only.
    video: {
      maxCaptionLength: 2000,
      compose: (part, { recipient }) =>
        isShown(part, VIDEO)
          ? messageTo(recipient, {
              flags: IS_COMPONENTS_V2,
              components: [
                ...(part.caption.text === '' ? [] : [{ type: 10, content: part.caption.text }]),
                { type: 12, items: [inGallery(part)] },
              ],
            })
          : upload(part, recipient),
    },
    audio: { maxCaptionLength: 2000, compose: (part, { recipient }) => upload(part, recipient) },
    document: { maxCaptionLength: 2000, compose: (part, { recipient }) => upload(part, recipient) },
    buttons: {
      max: 25,
      maxLabelLength: 80,
      kinds: ['link', 'reply'],
      withMedia: true,
      payload: { max: MAX_ID_LENGTH, unit: 'characters' },
      add: addRows,
    },
    reply: (request, id) => {
      const { message } = parseId(id);
      if (!SNOWFLAKE.test(message)) return NO_ID;
      return withMore(request, {
        message_reference: { message_id: message, fail_if_not_exists: false },
      });
    },
    // A thread started from a message has the id of that message.
    thread: (request, id) => {
      const { message } = parseId(id);
      if (!SNOWFLAKE.test(message)) return NO_ID;
      return { ...request, call: `channels/${message}/messages` };
    },
    options: withDiscordOptions,
  },
  options: DISCORD_OPTIONS,
  pace: { integration: { count: 50, seconds: 1, burst: 50 } },
  idempotent: true,

  async send({ call: path = '', body, file }, { key }, context) {
    const nonce = idempotencyKey(key, [path, body]).slice(0, MAX_NONCE_LENGTH);
    const attached = await uploadOf(file, context);
    if (isFailure(attached)) return attached;
    const whole = { ...body, nonce, enforce_nonce: true };
    const answer = await call('POST', path, whole, context, attached);
    return sentAs(answer) ?? sentUnlessRefused(answer, classifyFailure(answer, context));
  },

  async edit({ id, recipient }, { body, file }, context) {
    const attached = file?.isKept ? undefined : await uploadOf(file, context);
    if (isFailure(attached)) return attached;
    // Removes embeds and attachments of the earlier message; members left out would stay.
    const files = file?.isKept ? {} : { embeds: [], attachments: [] };
    const whole = { content: null, components: [], ...files, ...changeOf(body) };
    const answer = await call('PATCH', pathOf(id, recipient), whole, context, attached);
    if (sentAs(answer)) return { outcome: 'sent', id };
    return sentUnlessRefused(answer, classifyFailure(answer, context), id);
  },

  async remove({ id, recipient }, context) {
    const answer = await call('DELETE', pathOf(id, recipient), undefined, context);
    const isGone = statusOf(answer) === 204 || codeOf(bodyOf(answer)) === '10008';
    return isGone
      ? { outcome: 'sent' }
      : sentUnlessRefused(answer, classifyFailure(answer, context));
  },

  async check(context) {
    const answer = await call('GET', 'users/@me', undefined, context);
    const name = textMember(bodyOf(answer), 'username');
    return statusOf(answer) === 200 && name !== undefined
      ? { outcome: 'known', as: name }
      : classifyFailure(answer, context);
  },

  hook: {
    needs: [['secret']],
    setup:
      'Switchboard registers the URL with Discord. To do it yourself, enter it at discord.com/developers/applications: choose your application, then General Information > Interactions Endpoint URL.',
    verify: (request, { credentials, clock }) =>
      faultOfDiscordRequest(request, credentials.secret, clock.now()),
    parse: ({ body }) => readDiscordCall(jsonBody(body)),
    answer: ({ body }) => answerToDiscord(jsonBody(body)),

    /** https://docs.discord.com/developers/resources/application#edit-current-application */
    async register(url, context) {
      const current = await call('GET', ME, undefined, context);
      const secret = textMember(bodyOf(current), 'verify_key');
      if (statusOf(current) !== 200 || secret === undefined)
        return classifyFailure(current, context);
      // Stored first: Discord calls the URL before it responds.
      if (context.credentials.secret !== secret) await context.storeCredentials({ secret });
      const answer = await call('PATCH', ME, { interactions_endpoint_url: url }, context);
      const as = textMember(bodyOf(answer), 'name');
      return statusOf(answer) === 200 && as !== undefined
        ? { outcome: 'known', as }
        : classifyFailure(answer, context);
    },
  },

  listen: (context) =>
    listenToDiscord({
      ...context,
      token: context.credentials.token ?? '',
      begin: () => gatewayOf(context),
      // A test server that replaces Discord replaces its gateway too.
      isTrusted: (url) => context.url !== discord.url || isAtHost(url, 'discord.gg'),
      answer: async (path, body) => void (await call('POST', path, body, context)),
    }),

  /** https://docs.discord.com/developers/reference#signed-attachment-cdn-urls */
  async media(reference, context) {
    const [channel = '', message = '', attachment = ''] = reference.split(':');
    const answer = await call('GET', pathOf(`${channel}:${message}`, ''), undefined, context);
    if (statusOf(answer) !== 200) return classifyFailure(answer, context);
    const url = attachmentUrl(bodyOf(answer), attachment) ?? '';
    if (isAtHost(url, 'discordapp.com', 'discordapp.net')) return { url };
    return { outcome: 'permanent', blame: 'content', detail: 'Discord no longer has this file' };
  },
};

const ME = 'applications/@me';

/** https://docs.discord.com/developers/events/gateway#get-gateway-bot */
async function gatewayOf(context: Context): Promise<string | Failure> {
  const answer = await call('GET', 'gateway/bot', undefined, context);
  const url = textMember(bodyOf(answer), 'url');
  if (statusOf(answer) !== 200 || url === undefined) return classifyFailure(answer, context);
  const limit = member(bodyOf(answer), 'session_start_limit');
  // Discord revokes the token of a bot that starts too many sessions.
  if (numberMember(limit, 'remaining') !== 0) return url;
  const seconds = Math.ceil((numberMember(limit, 'reset_after') ?? 0) / 1000);
  const detail = 'the bot reached its daily session limit';
  return { outcome: 'limited', scope: 'integration', seconds, detail };
}

/** Maximum length of a deduplication key. */
const MAX_NONCE_LENGTH = 25;
const IS_COMPONENTS_V2 = 1 << 15;

const IMAGE = /^image\/(?:png|jpe?g|gif|webp|avif)$/i;
const VIDEO = /^video\/(?:mp4|webm|quicktime)$/i;

/** Mentions in a text notify nobody: the text may contain user input. */
function messageTo(channel: string, body: object): VendorRequest {
  return {
    call: `channels/${channel}/messages`,
    body: { ...body, allowed_mentions: { parse: [] } },
  };
}

/** Files of unknown type are tried. */
function isShown({ url, mediaType, isReceived }: MediaPart, supported: RegExp): boolean {
  return (
    !isReceived && url.length <= 2048 && (mediaType === undefined || supported.test(mediaType))
  );
}

const contentOf = ({ caption: { text } }: MediaPart) => (text === '' ? {} : { content: text });

function upload(part: MediaPart, channel: string): VendorRequest {
  return { ...messageTo(channel, contentOf(part)), file: fileOf(part) };
}

/** The limit of servers with the highest boost level; other servers refuse larger files themselves. */
const MAX_FILE_BYTES = 100 * 1024 * 1024;

async function uploadOf(
  file: RequestFile | undefined,
  context: Context,
): Promise<FormFile | Failure | undefined> {
  if (!file) return undefined;
  const downloaded = await context.download(file.url, { maxBytes: MAX_FILE_BYTES });
  return isFailure(downloaded) ? downloaded : toFormFile(file, downloaded);
}

function inGallery({ url, name }: MediaPart): object {
  return { media: { url }, ...(name !== undefined && { description: name.slice(0, 1024) }) };
}

function withMore(request: VendorRequest, more: object): VendorRequest {
  return { ...request, body: { ...request.body, ...more } };
}

const MAX_BUTTON_URL_LENGTH = 512;

/** https://docs.discord.com/developers/components/reference#button */
function addRows(request: VendorRequest, buttons: readonly Button[]): VendorRequest | Unsupported {
  if (buttons.some(({ url = '' }) => url.length > MAX_BUTTON_URL_LENGTH)) {
    return {
      unsupported: `Discord accepts button URLs of at most ${MAX_BUTTON_URL_LENGTH} characters`,
    };
  }
  const { components = [] } = request.body;
  const existing: unknown[] = Array.isArray(components) ? components : [];
  return withMore(request, { components: [...existing, ...rowsOf(buttons)] });
}

/** At most five per row. */
function rowsOf(buttons: readonly Button[]): object[] {
  const keys = buttons.map((button, i) => ({
    type: 2,
    label: button.name,
    // Ids must be unique in a message, even when two buttons have the same value.
    ...(button.url === undefined
      ? { style: 2, custom_id: `${i + 1}:${payloadOf(button)}` }
      : { style: 5, url: button.url }),
  }));
  return Array.from({ length: Math.ceil(keys.length / 5) }, (_, row) => ({
    type: 1,
    components: keys.slice(row * 5, row * 5 + 5),
  }));
}

/** Our ids include the channel; an id copied from Discord may be the message id only. */
function parseId(id: string): { channel: string | undefined; message: string } {
  const [message = '', channel] = id.split(':').toReversed();
  return { channel, message };
}

const SNOWFLAKE = /^\d{1,20}$/;
const NO_ID: Unsupported = { unsupported: 'Discord message and thread IDs are numbers' };

function pathOf(id: string, recipient: string): string {
  const { channel = recipient, message } = parseId(id);
  return `channels/${channel}/messages/${message}`;
}

const TOKEN = /^[\x21-\x7e]{1,500}$/;
/** Rejects ids that would lead to another path. */
const PATH =
  /^(?:(?:users|applications)\/@me|gateway\/bot|channels\/\d{1,20}\/messages(?:\/\d{1,20})?|interactions\/\d{1,20}\/[\w.-]{1,500}\/callback)$/;
/**
 * https://docs.discord.com/developers/reference#user-agent requires the library's URL and version in this format, or
 * Discord may refuse the request. Switchboard has no page yet, so the URL is under `.invalid`, which is
 * reserved (RFC 2606). The token identifies the bot.
 */
const USER_AGENT = `DiscordBot (https://switchboard.invalid, ${VERSION})`;

/** A response, or the input that made a request impossible. */
type CallResult = FetchAnswer | 'token' | 'id';

async function call(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body: object | undefined,
  { credentials: { token = '' }, url, fetch }: Context,
  file?: FormFile,
): Promise<CallResult> {
  if (!TOKEN.test(token)) return 'token';
  if (!PATH.test(path)) return 'id';
  const { headers, ...rest } = body ? encodeBody(body, file) : {};
  const botHeaders = { authorization: `Bot ${token}`, 'user-agent': USER_AGENT };
  return fetch(`${url}/${path}`, { method, headers: { ...botHeaders, ...headers }, ...rest });
}

/** https://docs.discord.com/developers/reference#uploading-files */
function encodeBody(body: object, file: FormFile | undefined): FetchRequest {
  if (!file) {
    return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  }
  const text = JSON.stringify({ ...body, attachments: [{ id: 0, filename: file.name }] });
  return multipart([
    ['payload_json', { text, mediaType: 'application/json' }],
    ['files[0]', file],
  ]);
}

const bodyOf = (answer: CallResult) => (typeof answer === 'string' ? undefined : answer.json());
const statusOf = (answer: CallResult) => (typeof answer === 'string' ? 0 : answer.status);

/** A success, with the message id. Undefined for other responses. */
function sentAs(answer: CallResult): { outcome: 'sent'; id: string } | undefined {
  const json = bodyOf(answer);
  const [channel, message] = [textMember(json, 'channel_id'), textMember(json, 'id')];
  if (statusOf(answer) !== 200 || channel === undefined || message === undefined) return undefined;
  return { outcome: 'sent', id: `${channel}:${message}` };
}

/** Classifies a failed response. */
function classifyFailure(answer: CallResult, context: Context): Failure {
  if (answer === 'token') {
    return { outcome: 'permanent', blame: 'credentials', detail: 'invalid bot token' };
  }
  if (answer === 'id') {
    const detail = 'invalid Discord thread or message ID';
    return { outcome: 'permanent', blame: 'content', detail };
  }
  return classifyResponse(answer, context);
}
