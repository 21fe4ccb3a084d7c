import { createHmac } from 'node:crypto';

import { AccessToken } from '../../lib/crypto/access-token.ts';
import { equalInConstantTime } from '../../lib/crypto/constant-time.ts';
import { idempotencyKey } from '../../lib/crypto/idempotency-key.ts';
import { requestAccessToken } from '../../lib/crypto/token-request.ts';
import type { FetchAnswer } from '../../lib/http/fetch.ts';
import { jsonBody } from '../../lib/json/json-body.ts';
import { member, textMember } from '../../lib/json/json-member.ts';
import { cut } from '../../lib/text/split.ts';
import {
  type Destination,
  type Button,
  type Channel,
  type Check,
  type Context,
  type Failure,
  type MediaPart,
  type Unsupported,
  type VendorRequest,
  denied,
  matching,
} from '../channel.ts';
import { DIGITS } from '../credential-formats.ts';
import type { MediaSource } from '../inbound.ts';
import { sentUnlessRefused } from '../unexpected-success.ts';
import { MAX_POSTBACK_LENGTH, actionsOf, writePress } from './actions.ts';
import { lineCarousel } from './carousel.ts';
import { classifyFailure } from './errors.ts';
import { readLine } from './hook.ts';
import { LINE_OPTIONS, withLineOptions } from './options.ts';
import { storeReplyTokens, sendAsReply } from './reply.ts';

/*
 * LINE Messaging API. https://developers.line.biz/en/reference/messaging-api/#send-push-message
 * Text: 5,000 UTF-16 code units, no markup. 2,000 requests a second, and the monthly quota of the account's plan;
 * replies do not count against it (line/reply.ts). LINE deduplicates retries by key for 24 hours:
 * https://developers.line.biz/en/docs/messaging-api/retrying-api-request/ (compared on 2026-11-17; replies have no
 * key).
 * Addresses: U, C or R (user, group, room) and 32 hexadecimal digits.
 * Media: https only; JPEG or PNG images, MP4 videos with a preview image, MP3 or M4A audio with its duration. Other
 * files cannot be sent.
 */
export const line: Channel = {
  name: 'line',
  title: 'LINE',
  category: 'chat',
  summary: 'Messages to people who added your LINE account, for Japan, Taiwan and Thailand.',
  keywords: ['japan', 'thailand', 'taiwan'],
  docs: 'https://developers.line.biz/en/reference/messaging-api/#send-push-message',
  dashboard: 'https://developers.line.biz/console',
  credentials: [
    {
      name: 'token',
      label: 'Channel access token',
      help: 'At developers.line.biz/console, choose your Messaging API channel, then Messaging API > Channel access token > Issue. Not required if you set the channel ID and secret.',
      secret: true,
    },
    {
      name: 'secret',
      label: 'Channel secret',
      help: 'At developers.line.biz/console, choose your Messaging API channel, then Basic settings > Channel secret. Verifies webhook requests from LINE. Together with the channel ID, it replaces the access token.',
      secret: true,
      format: { pattern: /^[\da-f]{32}$/, hint: 'Channel secrets have 32 hexadecimal digits.' },
    },
    {
      name: 'username',
      label: 'Channel ID',
      help: 'At developers.line.biz/console, choose your Messaging API channel, then Basic settings > Channel ID.',
      secret: false,
      format: DIGITS,
    },
  ],
  needs: [['token'], ['username', 'secret']],
  needNames: ['Access token', 'ID and secret'],
  recipient: {
    format:
      'the ID of a user (U…), group (C…) or room (R…) from a webhook event, not the searchable LINE ID',
    example: 'U4af4980629b1e2f3c4d5e6f708192a3b',
    validate: matching(
      /^[UCR][0-9a-f]{32}$/,
      'must be U, C or R followed by 32 lower-case hexadecimal digits',
    ),
  },
  limits: [
    {
      what: '5,000 UTF-16 code units of text',
      link: 'https://developers.line.biz/en/reference/messaging-api/#text-message',
    },
    {
      what: '2,000 requests per second, and the monthly quota of the plan',
      link: 'https://developers.line.biz/en/reference/messaging-api/#rate-limits',
    },
  ],
  url: 'https://api.line.me',
  text: { max: 5000, measure: (text) => text.length },
  renderers: {
    text: ({ text }, to) => pushTo(to, { type: 'text', text }),
    image: {
      maxCaptionLength: 0,
      compose: (part, to) =>
        unsupportedMedia(part, /^image\/(?:jpe?g|png)$/i, 'shows JPEG and PNG images only') ??
        pushTo(to, {
          type: 'image',
          originalContentUrl: part.url,
          previewImageUrl: usablePreview(part) ?? part.url,
        }),
    },
    video: {
      maxCaptionLength: 0,
      compose: (part, to) => {
        const preview = usablePreview(part);
        const unsupported = unsupportedMedia(part, /^video\/mp4$/i, 'shows MP4 videos only');
        if (unsupported) return unsupported;
        if (preview === undefined)
          return { unsupported: 'LINE requires videos to have an https preview' };
        const urls = { originalContentUrl: part.url, previewImageUrl: preview };
        return pushTo(to, { type: 'video', ...urls });
      },
    },
    audio: {
      maxCaptionLength: 0,
      compose: (part, to) => {
        const { url, duration } = part;
        const unsupported = unsupportedMedia(
          part,
          /^audio\/(?:mpeg|mp4|x-m4a)$/i,
          'plays MP3 and M4A audio only',
        );
        if (unsupported) return unsupported;
        if (duration === undefined)
          return { unsupported: 'LINE requires audio to have a duration' };
        const milliseconds = Math.round(duration * 1000);
        return pushTo(to, { type: 'audio', originalContentUrl: url, duration: milliseconds });
      },
    },
    place: ({ latitude, longitude, name }, to) => {
      const address = `${latitude}, ${longitude}`;
      const title = name === undefined ? address : cut(name, TITLE);
      return pushTo(to, { type: 'location', title, address, latitude, longitude });
    },
    // Quick replies: they are shown below the chat until the next message.
    buttons: {
      max: 13,
      maxLabelLength: 20,
      kinds: ['link', 'reply', 'tel'],
      withMedia: true,
      isTransitory: true,
      payload: {
        max: MAX_POSTBACK_LENGTH,
        unit: 'characters',
        encoding: 'with its name',
        write: writePress,
      },
      add: addItems,
    },
    // https://developers.line.biz/en/reference/messaging-api/#carousel
    carousel: {
      max: 10,
      compose: (cards, to) => {
        const message = lineCarousel(cards);
        return 'unsupported' in message ? message : pushTo(to, message);
      },
    },
    reply: withQuote,
    options: withLineOptions,
  },
  options: LINE_OPTIONS,
  pace: { integration: { count: 2000, seconds: 1, burst: 2000 } },
  idempotent: true,

  async send({ body }, { key, recipient }, context) {
    const judge = (answer: FetchAnswer | Failure) =>
      sentAs(answer) ?? sentUnlessRefused(answer, classifyFailure(answer, context));
    const { to: _, ...content } = body;
    const ask = (replyToken: string) =>
      call(
        '/v2/bot/message/reply',
        {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ replyToken, ...content }),
        },
        context,
      );
    const replied = await sendAsReply({ key, recipient, ask, judge }, context);
    if (replied) return replied;
    const headers = {
      'content-type': 'application/json',
      'x-line-retry-key': uuidOf(idempotencyKey(key, body)),
    };
    const push = { method: 'POST', headers, body: JSON.stringify(body) } as const;
    return judge(await call('/v2/bot/message/push', push, context));
  },

  async check(context) {
    const answer = await call('/v2/bot/info', { method: 'GET' }, context);
    const json = 'status' in answer ? answer.json() : undefined;
    const [name, id] = [textMember(json, 'displayName'), textMember(json, 'basicId')];
    if (name === undefined) return classifyFailure(answer, context);
    return { outcome: 'known', as: id === undefined ? name : `${name} (${id})` };
  },

  hook: {
    needs: [['secret']],
    setup:
      'At developers.line.biz/console, choose your Messaging API channel, then Messaging API > Webhook settings. Enter the Webhook URL, and turn on "Use webhook" and "Webhook redelivery".',
    // https://developers.line.biz/en/docs/messaging-api/verify-webhook-signature/
    verify({ header, body }, { credentials: { secret = '' } }) {
      if (secret === '') return 'the integration has no channel secret';
      const signature = createHmac('sha256', secret).update(body).digest('base64');
      return equalInConstantTime(signature, header('x-line-signature'))
        ? undefined
        : 'the signature does not match';
    },
    parse({ body }, context) {
      const json = jsonBody(body);
      storeReplyTokens(json, context);
      return readLine(json);
    },
    register,
  },
  media: findFile,
};

/** https://developers.line.biz/en/reference/messaging-api/#set-webhook-endpoint-url */
async function register(endpoint: string, context: Context): Promise<Check> {
  const path = '/v2/bot/channel/webhook/endpoint';
  const put = {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint }),
  } as const;
  const answer = await call(path, put, context);
  if (!isSuccess(answer)) return classifyFailure(answer, context);
  const state = await call(path, { method: 'GET' }, context);
  if (!isSuccess(state)) return classifyFailure(state, context);
  const isActive = member(state.json(), 'active') === true;
  return {
    outcome: 'known',
    as: isActive ? 'LINE' : 'LINE; "Use webhook" is still off in the LINE console',
  };
}

const REFERENCE = /^(image|video|audio|file):(\d{1,30})$/;

/** https://developers.line.biz/en/reference/messaging-api/#get-content has a separate host. */
async function findFile(reference: string, context: Context): Promise<MediaSource | Failure> {
  if (isFetchable(reference)) return { url: reference };
  const [, type = '', id] = REFERENCE.exec(reference) ?? [];
  if (id === undefined) {
    const detail = 'invalid LINE content reference';
    return { outcome: 'permanent', blame: 'content', detail };
  }
  const base = context.url === line.url ? 'https://api-data.line.me' : context.url;
  const path = `/v2/bot/message/${id}/content`;
  if (type === 'video' || type === 'audio') {
    const answer = await call(`${path}/transcoding`, { method: 'GET' }, context, base);
    if (!isSuccess(answer)) return classifyFailure(answer, context);
    const status = textMember(answer.json(), 'status');
    if (status !== 'succeeded') {
      const detail = `LINE is preparing the file: ${status}`;
      return status === 'failed'
        ? { outcome: 'permanent', blame: 'content', detail }
        : { outcome: 'transient', maybeSent: false, detail };
    }
  }
  const token = await tokenOf(context);
  if (typeof token !== 'string') return token;
  return { url: `${base}${path}`, headers: { authorization: `Bearer ${token}` } };
}

const isSuccess = (answer: FetchAnswer | Failure): answer is FetchAnswer =>
  'status' in answer && answer.status >= 200 && answer.status < 300;

/** For the title of a location. */
const TITLE = { max: 100, measure: (text: string) => text.length };

function pushTo({ recipient }: Destination, message: object): VendorRequest {
  return { body: { to: recipient, messages: [message] } };
}

/** Each push has one message: with several, it would be unclear which ones LINE accepted. */
function withFields(vendorRequest: VendorRequest, more: object): VendorRequest {
  const message = member(vendorRequest.body, 'messages', '0');
  const before = typeof message === 'object' ? message : {};
  return { ...vendorRequest, body: { ...vendorRequest.body, messages: [{ ...before, ...more }] } };
}

const isFetchable = (url: string) => /^https:\/\//i.test(url) && url.length <= 2000;

function unsupportedMedia(
  { url, mediaType }: MediaPart,
  accepted: RegExp,
  requirement: string,
): Unsupported | undefined {
  if (mediaType !== undefined && !accepted.test(mediaType))
    return { unsupported: `LINE ${requirement}` };
  return isFetchable(url)
    ? undefined
    : { unsupported: 'LINE accepts https URLs of up to 2,000 characters only' };
}

function usablePreview({ preview }: MediaPart): string | undefined {
  return preview !== undefined && isFetchable(preview) ? preview : undefined;
}

function addItems(
  vendorRequest: VendorRequest,
  buttons: readonly Button[],
): VendorRequest | Unsupported {
  const actions = actionsOf(buttons);
  if ('unsupported' in actions) return actions;
  const items = actions.map((action) => ({ type: 'action', action }));
  return withFields(vendorRequest, { quickReply: { items } });
}

/**
 * Quoting requires a token, not the message id; our ids have it after a colon. Only texts can quote.
 * https://developers.line.biz/en/docs/messaging-api/get-quote-tokens/
 */
function withQuote(vendorRequest: VendorRequest, id: string): VendorRequest | Unsupported {
  const isText = member(vendorRequest.body, 'messages', '0', 'type') === 'text';
  const quoteToken = id.slice(id.indexOf(':') + 1);
  if (!isText) return { unsupported: 'LINE supports quotes in text messages only' };
  if (/^\d*$/.test(quoteToken))
    return { unsupported: 'LINE identifies a quoted message by its quote token' };
  return withFields(vendorRequest, { quoteToken });
}

/** In the format of RFC 9562, section 5.8. */
function uuidOf(hex: string): string {
  const [a, b, c, d, e] = [
    [0, 8],
    [8, 12],
    [13, 16],
    [17, 20],
    [20, 32],
  ].map(([from, to]) => hex.slice(from, to));
  return `${a}-${b}-8${c}-8${d}-${e}`;
}

const TOKEN = /^[\x21-\x7e]{1,2000}$/;
const NO_TOKEN: Failure = {
  outcome: 'permanent',
  blame: 'credentials',
  detail: 'invalid channel access token, or channel ID and secret',
};

const tokensOf = (context: Context) => context.resource(() => new AccessToken<Failure>());

/** The configured token, or one requested from LINE. */
async function tokenOf(context: Context): Promise<string | Failure> {
  const { token } = context.credentials;
  if (token !== undefined && token !== '') return TOKEN.test(token) ? token : NO_TOKEN;
  return tokensOf(context).get(context.clock.now(), () => issue(context));
}

/** Repeats the request with a new token when a requested token has expired. */
async function call(
  path: string,
  request: { method: 'GET' | 'POST' | 'PUT'; headers?: Record<string, string>; body?: string },
  context: Context,
  base = context.url,
): Promise<FetchAnswer | Failure> {
  const ask = async (token: string) => {
    const headers = { ...request.headers, authorization: `Bearer ${token}` };
    return context.fetch(`${base}${path}`, { ...request, headers });
  };
  const token = await tokenOf(context);
  if (typeof token !== 'string') return token;
  const answer = await ask(token);
  if (answer.status !== 401 || token === context.credentials.token) return answer;
  tokensOf(context).forget(token);
  const next = await tokenOf(context);
  return typeof next === 'string' ? ask(next) : next;
}

/** https://developers.line.biz/en/reference/messaging-api/#issue-stateless-channel-access-token */
async function issue({ credentials, url, fetch }: Context) {
  const { username: id = '', secret = '' } = credentials;
  if (!/^\d{1,20}$/.test(id) || !TOKEN.test(secret)) return NO_TOKEN;
  const grant = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
  const access = await requestAccessToken(`${url}/oauth2/v3/token`, grant, fetch);
  return 'token' in access ? access : denied(access);
}

/** 409 means that LINE accepted a push with this key before. */
function sentAs(answer: FetchAnswer | Failure): { outcome: 'sent'; id?: string } | undefined {
  if (!('status' in answer) || (answer.status !== 200 && answer.status !== 409)) return undefined;
  const sent = member(answer.json(), 'sentMessages', '0');
  const [id, quote] = [textMember(sent, 'id'), textMember(sent, 'quoteToken')];
  if (id !== undefined) return { outcome: 'sent', id: quote === undefined ? id : `${id}:${quote}` };
  return answer.status === 409 ? { outcome: 'sent' } : undefined;
}
