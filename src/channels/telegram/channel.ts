import { equalInConstantTime } from '../../lib/crypto/constant-time.ts';
import type { FetchAnswer } from '../../lib/http/fetch.ts';
import { jsonBody } from '../../lib/json/json-body.ts';
import { integerMember, member, textMember } from '../../lib/json/json-member.ts';
import type { FormatRule } from '../../lib/rich-text/accidental-formats.ts';
import { charactersOf, isUnstyled } from '../../lib/rich-text/rich-text.ts';
import { toHtml } from '../../lib/rich-text/writers.ts';
import { payloadOf } from '../../model/button.ts';
import {
  type Destination,
  type Button,
  type Channel,
  type Context,
  type MediaRenderer,
  type MediaPart,
  type Outcome,
  type TextPart,
  type Unsupported,
  type VendorRequest,
  fileOf,
  matching,
} from '../channel.ts';
import { webhookSecret } from '../inbound.ts';
import { sentUnlessRefused } from '../unexpected-success.ts';
import { TELEGRAM_CREDENTIALS } from './credentials.ts';
import { descriptionOf, isShared, refused, classifyFailure } from './errors.ts';
import { UPDATES, answerToUpdate, readUpdate } from './update.ts';

/*
 * Telegram Bot API. https://core.telegram.org/bots/api#sendmessage
 * Text: 1 to 4,096 characters after entities parsing, captions 1,024; HTML is one of three markups:
 * https://core.telegram.org/bots/api#html-style
 * Telegram fetches media by URL: up to 5 MB for a photo, 20 MB for other files; documents must be GIF, PDF or ZIP:
 * https://core.telegram.org/bots/api#sending-files
 * About one message a second per chat, 20 a minute per group, 30 a second in total:
 * https://core.telegram.org/bots/faq
 */
const MAX_CALLBACK_LENGTH = 64;

export const telegram: Channel = {
  name: 'telegram',
  title: 'Telegram',
  category: 'chat',
  summary: 'A bot that writes to people, groups and channels on Telegram.',
  keywords: ['bot', 'botfather', 'tg'],
  docs: 'https://core.telegram.org/bots/api#sendmessage',
  dashboard: 'https://t.me/BotFather',
  credentials: TELEGRAM_CREDENTIALS,
  needs: [['token']],
  recipient: {
    format: 'a chat ID (an integer, negative for groups) or a public @channelusername',
    example: '123456789',
    validate: matching(
      /^(-?\d{1,19}|@[A-Za-z0-9_]{4,32})$/,
      'must be a chat ID (an integer) or @channelusername',
    ),
  },
  limits: [
    { what: '4,096 characters of text', link: 'https://core.telegram.org/bots/api#sendmessage' },
    {
      what: 'about 1 message per second per chat, 20 per minute per group, 30 per second in total',
      link: 'https://core.telegram.org/bots/faq',
    },
  ],
  url: 'https://api.telegram.org',
  text: {
    max: 4096,
    measure: lengthAfterParsing,
    write: (rich) => toHtml(rich),
    formats: () => FORMATS,
  },
  renderers: {
    text: (part, { recipient }) => ({
      call: 'sendMessage',
      body: { chat_id: recipient, ...written('text', part) },
    }),
    image: media('sendPhoto', 'photo', ['jpeg', 'jpg', 'png', 'webp', 'gif', 'bmp', '']),
    video: media('sendVideo', 'video', ['mp4', '']),
    audio: media('sendAudio', 'audio', ['mpeg', 'mp3', 'mp4', 'm4a', 'x-m4a', '']),
    document: media('sendDocument', 'document', ['pdf', 'zip', 'gif']),
    place: ({ latitude, longitude, name }, { recipient }) => {
      const where = { chat_id: recipient, latitude, longitude };
      if (name === undefined) return { call: 'sendLocation', body: where };
      const address = `${latitude}, ${longitude}`;
      return { call: 'sendVenue', body: { ...where, title: name, address } };
    },
    buttons: {
      max: 100,
      maxLabelLength: 64,
      kinds: ['link', 'reply'],
      withMedia: true,
      payload: { max: MAX_CALLBACK_LENGTH, unit: 'bytes' },
      add: addKeys,
    },
    reply: (request, id) => {
      const message = parseId(id)?.message;
      if (message === undefined) return NO_ID;
      return withMore(request, {
        reply_parameters: { message_id: message, allow_sending_without_reply: true },
      });
    },
    thread: (request, id) => {
      const message = parseId(id)?.message;
      return message === undefined ? NO_ID : withMore(request, { message_thread_id: message });
    },
    options: (request, { options: { silent, protect_content, link_preview } }) =>
      withMore(request, {
        ...(silent === true && { disable_notification: true }),
        ...(protect_content === true && { protect_content: true }),
        ...(link_preview === false &&
          request.call === 'sendMessage' && { link_preview_options: { is_disabled: true } }),
      }),
  },
  options: [
    {
      name: 'silent',
      label: 'Silent',
      help: 'Sends without sound. By default, Telegram plays a sound.',
      rule: { type: 'boolean' },
      link: 'https://core.telegram.org/bots/api#sendmessage',
    },
    {
      name: 'link_preview',
      label: 'Link preview',
      help: 'Whether Telegram shows a preview of the first link in the text. True by default.',
      rule: { type: 'boolean' },
      link: 'https://core.telegram.org/bots/api#sendmessage',
    },
    {
      name: 'protect_content',
      label: 'Protect content',
      help: 'Prevents people from forwarding and saving the message.',
      rule: { type: 'boolean' },
      link: 'https://core.telegram.org/bots/api#sendmessage',
    },
  ],
  pace: {
    integration: { count: 30, seconds: 1, burst: 30 },
    // Telegram's support applies the documented limit of groups to channels too.
    recipient: (id) => (isShared(id) ? 3 : 1),
  },
  concurrency: 16,

  async send(request, { recipient }, context) {
    const outcome = await post(request, recipient, context);
    if (!('migratedTo' in outcome)) return outcome;
    const moved = withMore(request, { chat_id: outcome.migratedTo });
    const again = await post(moved, outcome.migratedTo, context);
    if ('migratedTo' in again) return refused('Bad Request: chat not found at its new ID', '400');
    if (again.outcome !== 'sent') return again;
    return { ...again, detail: `the group was upgraded; its new ID is ${outcome.migratedTo}` };
  },

  async edit({ id, recipient }, request, context) {
    const where = placeOf(id);
    if (!where) return refused(UNKNOWN, '400');
    const [method, change] = editOf(request);
    if (method === undefined) return refused("Bad Request: a place can't be edited", '400');
    const answer = await call(method, { ...where, ...change }, context);
    const description = descriptionOf(answer);
    if (isOk(answer) || /message is not modified/.test(description)) return { outcome: 'sent', id };
    return sentUnlessRefused(answer, classifyFailure(answer, context, recipient), id);
  },

  async remove({ id, recipient }, context) {
    const where = placeOf(id);
    if (!where) return refused(UNKNOWN, '400');
    const answer = await call('deleteMessage', where, context);
    const description = descriptionOf(answer);
    if (isOk(answer) || /message to delete not found/.test(description)) return { outcome: 'sent' };
    return sentUnlessRefused(answer, classifyFailure(answer, context, recipient));
  },

  async check(context) {
    const answer = await call('getMe', {}, context);
    const name = textMember(answer?.json(), 'result', 'username');
    return isOk(answer) && name !== undefined
      ? { outcome: 'known', as: `@${name}` }
      : classifyFailure(answer, context);
  },

  hook: {
    needs: [['secret']],
    setup:
      'Switchboard registers the URL with Telegram. To do it yourself, call setWebhook of the Bot API with `url` and `secret_token`.',

    verify({ header }, { credentials: { secret } }) {
      if (!secret) return 'the integration has no webhook secret';
      const received = header('x-telegram-bot-api-secret-token');
      return equalInConstantTime(received, secret) ? undefined : 'secret token wrong or missing';
    },

    parse: ({ body }, context) => readUpdate(jsonBody(body), botOf(context)),

    answer({ body }) {
      const method = answerToUpdate(jsonBody(body));
      return method ? { text: JSON.stringify(method), type: 'application/json' } : {};
    },

    /** https://core.telegram.org/bots/api#setwebhook */
    async register(url, context) {
      const secret = await webhookSecret(context);
      const hook = { url, secret_token: secret, allowed_updates: UPDATES };
      const answer = await call('setWebhook', hook, context);
      return isOk(answer)
        ? { outcome: 'known', as: `bot ${botOf(context)}` }
        : classifyFailure(answer, context);
    },
  },

  /** https://core.telegram.org/bots/api#getfile */
  async media(reference, context) {
    const answer = await call('getFile', { file_id: reference }, context);
    const path = textMember(answer?.json(), 'result', 'file_path');
    if (!isOk(answer) || path === undefined) return classifyFailure(answer, context);
    const { token = '' } = context.credentials;
    return {
      url: `${context.url}/file/bot${token}/${path.split('/').map(encodeURIComponent).join('/')}`,
    };
  },
};

/** A bot token begins with the bot's id. */
const botOf = ({ credentials: { token = '' } }: Pick<Context, 'credentials'>) =>
  token.split(':', 1)[0];

const TOKEN = /^\d{1,20}:[\w-]{1,100}$/;

/** Undefined when the token contains characters that a URL path cannot hold. */
async function call(
  method: string,
  parameters: object,
  { credentials: { token = '' }, url, fetch }: Context,
): Promise<FetchAnswer | undefined> {
  if (!TOKEN.test(token)) return undefined;
  return fetch(`${url}/bot${token}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(parameters),
  });
}

/** Telegram counts the characters that entities stand for, in UTF-16. */
function lengthAfterParsing(html: string): number {
  return html.replaceAll(/<[^>]*>/g, '').replaceAll(/&(?:amp|lt|gt|quot);/g, '&').length;
}

/** Mentions in a text notify users and cannot be escaped. */
const FORMATS: readonly FormatRule[] = [
  { as: 'mention', pattern: /(?<![\p{L}\p{N}_])@[A-Za-z]\w{3,31}/gu },
];

/** Without `parse_mode`, Telegram reads no markup. */
function written(field: 'text' | 'caption', { text, rich }: TextPart): object {
  if (isUnstyled(rich)) return rich.length === 0 ? {} : { [field]: charactersOf(rich) };
  return { [field]: text, parse_mode: 'HTML' };
}

/** The media type, or else the file name, tells whether Telegram accepts a file; '' stands for unknown types. */
function media(method: string, field: string, takes: readonly string[]): MediaRenderer {
  return {
    maxCaptionLength: 1024,
    compose: (part, { recipient }: Destination) => {
      const kind = kindOf(part);
      if (!takes.includes(kind)) {
        const accepted = takes.filter((each) => each !== '').join(', ');
        return { unsupported: `Telegram accepts only ${accepted} as ${field}` };
      }
      const caption = written('caption', part.caption);
      const body = { chat_id: recipient, [field]: part.url, ...caption };
      return { call: method, body, ...(part.isKept && { file: fileOf(part) }) };
    },
  };
}

function kindOf({ mediaType, url }: MediaPart): string {
  if (mediaType !== undefined) {
    const [type = ''] = mediaType.split(';', 1);
    return type
      .slice(type.indexOf('/') + 1)
      .trim()
      .toLowerCase();
  }
  const [, extension = ''] = /\.(\w{1,8})$/.exec(URL.parse(url)?.pathname ?? '') ?? [];
  return extension.toLowerCase();
}

function withMore(request: VendorRequest, more: object): VendorRequest {
  return { ...request, body: { ...request.body, ...more } };
}

/** https://core.telegram.org/bots/api#inlinekeyboardbutton */
function addKeys(request: VendorRequest, buttons: readonly Button[]): VendorRequest | Unsupported {
  const replies = buttons.filter(({ url }) => url === undefined);
  if (replies.some((button) => Buffer.byteLength(payloadOf(button)) > MAX_CALLBACK_LENGTH)) {
    return {
      unsupported: `Telegram accepts button values of at most ${MAX_CALLBACK_LENGTH} bytes`,
    };
  }
  const rows = buttons.map((button) => {
    const { name, url } = button;
    return [
      url === undefined ? { text: name, callback_data: payloadOf(button) } : { text: name, url },
    ];
  });
  return withMore(request, { reply_markup: { inline_keyboard: rows } });
}

const MEDIA: Readonly<Record<string, string>> = {
  sendPhoto: 'photo',
  sendVideo: 'video',
  sendAudio: 'audio',
  sendDocument: 'document',
};

/** The method and parameters to replace a sent message; undefined for locations. */
function editOf({
  call: method = '',
  body,
  file: kept,
}: VendorRequest): [string | undefined, object] {
  const {
    chat_id: _,
    reply_parameters: __,
    message_thread_id: ___,
    disable_notification: ____,
    protect_content: _____,
    ...change
  } = body;
  if (method === 'sendMessage') return ['editMessageText', change];
  const type = MEDIA[method];
  if (type === undefined) return [undefined, change];
  const { [type]: file, reply_markup, ...caption } = change;
  const keys = reply_markup === undefined ? {} : { reply_markup };
  if (kept?.isKept) return ['editMessageCaption', { caption: '', ...caption, ...keys }];
  return ['editMessageMedia', { media: { type, media: file, ...caption }, ...keys }];
}

/** Ids are read as strings: a number would be rounded. */
async function post(
  request: VendorRequest,
  recipient: string,
  context: Context,
): Promise<Outcome | { migratedTo: string }> {
  const answer = await call(request.call ?? '', request.body, context);
  const json = answer?.json();
  if (!isOk(answer)) {
    const migratedTo = integerMember(json, 'parameters', 'migrate_to_chat_id');
    if (migratedTo !== undefined) return { migratedTo };
    return sentUnlessRefused(answer, classifyFailure(answer, context, recipient));
  }
  const chat = integerMember(json, 'result', 'chat', 'id');
  const message = integerMember(json, 'result', 'message_id');
  // A message id is unique only within its chat.
  const hasId = chat !== undefined && message !== undefined;
  return { outcome: 'sent', ...(hasId && { id: `${chat}:${message}` }) };
}

const NO_ID: Unsupported = { unsupported: 'Telegram message and topic IDs are numbers' };

/** An id that `send` returned, or the bare number of a message or topic. */
function parseId(id: string): { chat?: string; message: number } | undefined {
  const [, chat, message] = /^(?:(-?\d{1,19}):)?(\d{1,15})$/.exec(id) ?? [];
  if (message === undefined) return undefined;
  return { ...(chat !== undefined && { chat }), message: Number(message) };
}

const UNKNOWN = "Bad Request: message can't be found by this id";

function placeOf(id: string): { chat_id: string; message_id: number } | undefined {
  const { chat, message = 0 } = parseId(id) ?? {};
  return chat === undefined ? undefined : { chat_id: chat, message_id: message };
}

function isOk(answer: FetchAnswer | undefined): boolean {
  return member(answer?.json(), 'ok') === true;
}
