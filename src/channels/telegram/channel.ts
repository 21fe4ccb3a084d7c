import { randomBytes } from 'node:crypto';

import { equalInConstantTime } from '../../lib/crypto/constant-time.ts';
import type { FetchAnswer } from '../../lib/http/fetch.ts';
import { jsonBody } from '../../lib/json/json-body.ts';
import { integerMember, member, textMember } from '../../lib/json/json-member.ts';
import type { FormatRule } from '../../lib/rich-text/accidental-formats.ts';
import { charactersOf, isUnstyled } from '../../lib/rich-text/rich-text.ts';
import { toHtml } from '../../lib/rich-text/writers.ts';
import { payloadOf } from '../../model/button.ts';
import { foreignAnswer, sentUnlessRefused } from '../answers.ts';
import {
  type Addressed,
  type Button,
  type Channel,
  type Context,
  type Failure,
  type MediaForm,
  type MediaPart,
  type Outcome,
  type TextPart,
  type Unfit,
  type Wire,
  fileOf,
  matching,
} from '../channel.ts';
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
const MOST_OF_CALLBACK = 64;

export const telegram: Channel = {
  name: 'telegram',
  title: 'Telegram',
  docs: 'https://core.telegram.org/bots/api#sendmessage',
  credentials: [
    {
      name: 'token',
      label: 'Bot token',
      help: 'Write to @BotFather in Telegram, choose /newbot or /mybots, then API Token.',
      secret: true,
    },
    {
      name: 'secret',
      label: 'Webhook secret',
      help: 'Any 1 to 256 letters, digits, _ and - of your choice; Telegram repeats it in each call to our hook.',
      secret: true,
    },
  ],
  needs: [['token']],
  recipient: {
    form: 'a chat id (an integer, negative for groups) or a public @channelusername',
    example: '123456789',
    check: matching(
      /^(-?\d{1,19}|@[A-Za-z0-9_]{4,32})$/,
      'must be a chat id (an integer) or @channelusername',
    ),
  },
  limits: [
    { what: '4,096 characters of text', link: 'https://core.telegram.org/bots/api#sendmessage' },
    {
      what: 'about 1 message a second to a chat, 20 a minute to a group, 30 a second in all',
      link: 'https://core.telegram.org/bots/faq',
    },
  ],
  url: 'https://api.telegram.org',
  text: {
    most: 4096,
    measure: lengthAfterParsing,
    write: (rich) => toHtml(rich),
    formats: () => FORMATS,
  },
  forms: {
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
      most: 100,
      label: 64,
      kinds: ['link', 'reply'],
      withMedia: true,
      payload: { most: MOST_OF_CALLBACK, unit: 'bytes' },
      add: addKeys,
    },
    reply: (wire, id) => {
      const message = parseId(id)?.message;
      if (message === undefined) return NO_ID;
      return withMore(wire, {
        reply_parameters: { message_id: message, allow_sending_without_reply: true },
      });
    },
    thread: (wire, id) => {
      const message = parseId(id)?.message;
      return message === undefined ? NO_ID : withMore(wire, { message_thread_id: message });
    },
  },
  pace: {
    integration: { count: 30, seconds: 1, burst: 30 },
    // Telegram's support applies the documented limit of groups to channels too.
    recipient: (id) => (isShared(id) ? 3 : 1),
  },
  concurrency: 16,

  async send(wire, { recipient }, context) {
    const outcome = await post(wire, recipient, context);
    if (!('migratedTo' in outcome)) return outcome;
    const moved = withMore(wire, { chat_id: outcome.migratedTo });
    const again = await post(moved, outcome.migratedTo, context);
    if ('migratedTo' in again)
      return refused('Bad Request: chat not found where it moved to', '400');
    if (again.outcome !== 'sent') return again;
    return { ...again, detail: `the group's id is ${outcome.migratedTo} from now on` };
  },

  async edit({ id, recipient }, wire, context) {
    const where = placeOf(id);
    if (!where) return refused(UNKNOWN, '400');
    const [method, change] = editOf(wire);
    if (method === undefined) return refused("Bad Request: a place can't be edited", '400');
    const answer = await call(method, { ...where, ...change }, context);
    const description = descriptionOf(answer);
    if (isOk(answer) || /message is not modified/.test(description)) return { outcome: 'sent', id };
    return sentUnlessRefused(answer, sort(answer, recipient), id);
  },

  async remove({ id, recipient }, context) {
    const where = placeOf(id);
    if (!where) return refused(UNKNOWN, '400');
    const answer = await call('deleteMessage', where, context);
    const description = descriptionOf(answer);
    if (isOk(answer) || /message to delete not found/.test(description)) return { outcome: 'sent' };
    return sentUnlessRefused(answer, sort(answer, recipient));
  },

  async check(context) {
    const answer = await call('getMe', {}, context);
    const name = textMember(answer?.json(), 'result', 'username');
    return isOk(answer) && name !== undefined ? { outcome: 'known', as: `@${name}` } : sort(answer);
  },

  hook: {
    needs: [['secret']],
    setup:
      'Switchboard tells Telegram the address by itself. By hand, it is the method setWebhook of the Bot API, with `url` and `secret_token`.',

    verify({ header }, { credentials: { secret } }) {
      if (!secret) return 'there is no webhook secret to judge by';
      const said = header('x-telegram-bot-api-secret-token');
      return equalInConstantTime(said, secret) ? undefined : 'the secret token is wrong or missing';
    },

    parse: ({ body }, context) => readUpdate(jsonBody(body), botOf(context)),

    answer({ body }) {
      const method = answerToUpdate(jsonBody(body));
      return method ? { text: JSON.stringify(method), type: 'application/json' } : {};
    },

    /** https://core.telegram.org/bots/api#setwebhook */
    async register(url, context) {
      let { secret } = context.credentials;
      if (!secret) {
        secret = randomBytes(32).toString('base64url');
        // Stored first, so that the first request from Telegram can be verified.
        await context.renew({ secret });
      }
      const hook = { url, secret_token: secret, allowed_updates: UPDATES };
      const answer = await call('setWebhook', hook, context);
      return isOk(answer) ? { outcome: 'known', as: `bot ${botOf(context)}` } : sort(answer);
    },
  },

  /** https://core.telegram.org/bots/api#getfile */
  async media(reference, context) {
    const answer = await call('getFile', { file_id: reference }, context);
    const path = textMember(answer?.json(), 'result', 'file_path');
    if (!isOk(answer) || path === undefined) return sort(answer);
    const { token = '' } = context.credentials;
    return {
      url: `${context.url}/file/bot${token}/${path.split('/').map(encodeURIComponent).join('/')}`,
    };
  },
};

/** Groups and channels have negative ids, or names. */
const isShared = (recipient: string) => /^[-@]/.test(recipient);

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

/** Judged by media type or file name; '' stands for unknown types. */
function media(method: string, field: string, takes: readonly string[]): MediaForm {
  return {
    caption: 1024,
    compose: (part, { recipient }: Addressed) => {
      const kind = kindOf(part);
      if (!takes.includes(kind)) {
        const known = takes.filter((each) => each !== '').join(', ');
        return { unfit: `Telegram fetches only ${known} as ${field}` };
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

function withMore(wire: Wire, more: object): Wire {
  return { ...wire, body: { ...wire.body, ...more } };
}

/** https://core.telegram.org/bots/api#inlinekeyboardbutton */
function addKeys(wire: Wire, buttons: readonly Button[]): Wire | Unfit {
  const replies = buttons.filter(({ url }) => url === undefined);
  if (replies.some((button) => Buffer.byteLength(payloadOf(button)) > MOST_OF_CALLBACK)) {
    return { unfit: `Telegram takes at most ${MOST_OF_CALLBACK} bytes for what a button says` };
  }
  const rows = buttons.map((button) => {
    const { name, url } = button;
    return [
      url === undefined ? { text: name, callback_data: payloadOf(button) } : { text: name, url },
    ];
  });
  return withMore(wire, { reply_markup: { inline_keyboard: rows } });
}

const MEDIA: Readonly<Record<string, string>> = {
  sendPhoto: 'photo',
  sendVideo: 'video',
  sendAudio: 'audio',
  sendDocument: 'document',
};

/** The method and parameters to replace a sent message; undefined for locations. */
function editOf({ call: method = '', body, file: kept }: Wire): [string | undefined, object] {
  const { chat_id: _, reply_parameters: __, message_thread_id: ___, ...change } = body;
  if (method === 'sendMessage') return ['editMessageText', change];
  const type = MEDIA[method];
  if (type === undefined) return [undefined, change];
  const { [type]: file, reply_markup, ...caption } = change;
  const keys = reply_markup === undefined ? {} : { reply_markup };
  if (kept?.isKept) return ['editMessageCaption', { caption: '', ...caption, ...keys }];
  return ['editMessageMedia', { media: { type, media: file, ...caption }, ...keys }];
}

/** The id is a string, to avoid rounding. */
async function post(
  wire: Wire,
  recipient: string,
  context: Context,
): Promise<Outcome | { migratedTo: string }> {
  const answer = await call(wire.call ?? '', wire.body, context);
  const json = answer?.json();
  if (!isOk(answer)) {
    const migratedTo = integerMember(json, 'parameters', 'migrate_to_chat_id');
    if (migratedTo !== undefined) return { migratedTo };
    return sentUnlessRefused(answer, sort(answer, recipient));
  }
  const chat = integerMember(json, 'result', 'chat', 'id');
  const message = integerMember(json, 'result', 'message_id');
  // A message id is unique only within its chat.
  const known = chat !== undefined && message !== undefined;
  return { outcome: 'sent', ...(known && { id: `${chat}:${message}` }) };
}

const NO_ID: Unfit = { unfit: 'Telegram knows messages and topics by numbers' };

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

function descriptionOf(answer: FetchAnswer | undefined): string {
  return textMember(answer?.json(), 'description') ?? '';
}

/** Classifies a failed response. The patterns match descriptions of Telegram's own server. */
function sort(answer: FetchAnswer | undefined, recipient = ''): Failure {
  if (!answer) {
    return { outcome: 'permanent', blame: 'credentials', detail: 'this is not the token of a bot' };
  }
  const foreign = foreignAnswer(answer);
  if (foreign) return foreign;
  const { status } = answer;
  const json = answer.json();
  const code = integerMember(json, 'error_code');
  const detail = descriptionOf(answer) || `Telegram answered ${status} without a reason`;
  if (status >= 500 || code === undefined) {
    // 503 precedes any processing. After another 5xx, or a 2xx that cannot be parsed, the message may have been sent;
    // a 3xx or 4xx without Telegram's error means that it was not.
    const perhapsSent = status === 503 ? false : status >= 500 || status < 300;
    return { outcome: 'transient', perhapsSent, detail, code: code ?? String(status) };
  }
  if (code === '429') {
    // Telegram does not say which limit was exceeded. Groups have the lowest, so in a group it is most likely the
    // group's; elsewhere the whole bot should wait.
    const seconds = Number(integerMember(json, 'parameters', 'retry_after') ?? Number.NaN);
    return {
      outcome: 'limited',
      whom: isShared(recipient) ? 'recipient' : 'integration',
      ...(Number.isFinite(seconds) && { seconds }),
      detail,
      code,
    };
  }
  return refused(detail, code);
}

/** Descriptions that concern the recipient; others concern the content. */
const OF_RECIPIENT =
  /chat not found|chat_id|upgraded to a supergroup|PEER_ID_INVALID|rights|CHAT_\w+|USER_\w+|TOPIC_\w+|thread not found|bots can't send messages to bots/i;
const CANNOT =
  /message can't be|a place can't be|message to edit not found|no text in the message|MESSAGE_ID_INVALID/i;

function refused(detail: string, code: string): Failure {
  const permanent = { outcome: 'permanent', detail, code } as const;
  // 404 is the response to a malformed token in the URL, 421 to a token of another server.
  if (['401', '404', '421'].includes(code)) return { ...permanent, blame: 'credentials' };
  if (code === '403') return { ...permanent, blame: 'recipient' };
  if (code === '400' && CANNOT.test(detail)) return { ...permanent, blame: 'unsupported' };
  const ofRecipient = code === '400' && OF_RECIPIENT.test(detail);
  return { ...permanent, blame: ofRecipient ? 'recipient' : 'content' };
}
