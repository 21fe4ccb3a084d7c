import type { FetchAnswer } from '../lib/fetch.ts';
import { integerMember, member, textMember } from '../lib/member.ts';
import { charactersOf, isUnstyled } from '../lib/rich-text.ts';
import { toHtml } from '../lib/rich-writers.ts';
import { cut } from '../lib/split.ts';
import {
  type Addressed,
  type Channel,
  type Context,
  type MediaForm,
  type Outcome,
  type TextPart,
  type Wire,
  matching,
} from './channel.ts';

/*
 * Telegram Bot API. https://core.telegram.org/bots/api#sendmessage
 * Text: 1 to 4,096 characters after entities parsing. About one message a second to a chat, 20 a
 * minute to a group, 30 a second over all chats: https://core.telegram.org/bots/faq
 */
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
  text: { most: 4096, measure: lengthAfterParsing, write: toHtml },
  forms: {
    text: (part, { recipient }) => ({
      call: 'sendMessage',
      body: { chat_id: recipient, ...written('text', part) },
    }),
    image: media('sendPhoto', 'photo'),
    video: media('sendVideo', 'video'),
    audio: media('sendAudio', 'audio'),
    document: media('sendDocument', 'document'),
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
      add: (wire, buttons) =>
        withMore(wire, { reply_markup: { inline_keyboard: buttons.map((one) => [keyFor(one)]) } }),
    },
    reply: (wire, id) =>
      withMore(wire, {
        reply_parameters: { message_id: parseId(id).message, allow_sending_without_reply: true },
      }),
    thread: (wire, id) => withMore(wire, { message_thread_id: parseId(id).message }),
  },
  pace: {
    integration: { count: 30, seconds: 1, burst: 30 },
    // Telegram's support says of channels what is documented of groups.
    recipient: (id) => (isShared(id) ? 3 : 1),
  },
  concurrency: 16,

  async send(wire, { recipient }, context) {
    const outcome = await post(wire, recipient, context);
    if (!('migratedTo' in outcome)) return outcome;
    const moved = withMore(wire, { chat_id: outcome.migratedTo });
    const again = await post(moved, outcome.migratedTo, context);
    if ('migratedTo' in again) return refused('the group has moved more than once', '400');
    if (again.outcome !== 'sent') return again;
    return { ...again, detail: `the group's id is ${outcome.migratedTo} from now on` };
  },

  async edit({ id, recipient }, wire, context) {
    const { chat, message } = parseId(id);
    const [method, change] = editOf(wire);
    const answer = await call(method, { chat_id: chat, message_id: message, ...change }, context);
    const description = descriptionOf(answer);
    if (isOk(answer) || /message is not modified/.test(description)) return { outcome: 'sent', id };
    return sort(answer, recipient);
  },

  async remove({ id, recipient }, context) {
    const { chat, message } = parseId(id);
    const answer = await call('deleteMessage', { chat_id: chat, message_id: message }, context);
    const description = descriptionOf(answer);
    if (isOk(answer) || /message to delete not found/.test(description)) return { outcome: 'sent' };
    return sort(answer, recipient);
  },

  async check(context) {
    const answer = await call('getMe', {}, context);
    const name = textMember(answer?.json(), 'result', 'username');
    return isOk(answer) && name !== undefined ? { outcome: 'known', as: `@${name}` } : sort(answer);
  },
};

/** Groups and channels: their ids are negative, or names. */
const isShared = (recipient: string) => /^[-@]/.test(recipient);

const TOKEN = /^\d{1,20}:[\w-]{1,100}$/;

/** Undefined when there is no token that could be part of an address. */
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

/** Entities are not counted; what they stand for is, in UTF-16. */
function lengthAfterParsing(html: string): number {
  return html.replaceAll(/<[^>]*>/g, '').replaceAll(/&(?:amp|lt|gt|quot);/g, '&').length;
}

/** Without `parse_mode`, nothing in a text is markup. */
function written(field: 'text' | 'caption', { text, rich }: TextPart): object {
  if (isUnstyled(rich)) return rich.length === 0 ? {} : { [field]: charactersOf(rich) };
  return { [field]: text, parse_mode: 'HTML' };
}

/** Telegram fetches it itself: 5 MB of a photo, 20 MB of anything else. */
function media(method: string, field: string): MediaForm {
  return {
    caption: 1024,
    compose: ({ url, caption }, { recipient }: Addressed) => ({
      call: method,
      body: { chat_id: recipient, [field]: url, ...written('caption', caption) },
    }),
  };
}

function withMore(wire: Wire, more: object): Wire {
  return { ...wire, body: { ...wire.body, ...more } };
}

const CALLBACK = { most: 64, measure: (text: string) => Buffer.byteLength(text) };

function keyFor({ name, url }: { name: string; url?: string }): object {
  return url === undefined
    ? { text: name, callback_data: cut(name, CALLBACK) }
    : { text: name, url };
}

const MEDIA: Readonly<Record<string, string>> = {
  sendPhoto: 'photo',
  sendVideo: 'video',
  sendAudio: 'audio',
  sendDocument: 'document',
};

/** The method that puts this in the place of what was sent before, and what it is told. */
function editOf({ call: method = '', body }: Wire): [string, object] {
  const { chat_id: _, reply_parameters: __, message_thread_id: ___, ...change } = body;
  const type = MEDIA[method];
  if (type === undefined) return ['editMessageText', change];
  const { [type]: file, caption, parse_mode, ...rest } = change;
  return ['editMessageMedia', { media: { type, media: file, caption, parse_mode }, ...rest }];
}

/** The id goes as a text, lest it be rounded. */
async function post(
  wire: Wire,
  recipient: string,
  context: Context,
): Promise<Outcome | { migratedTo: string }> {
  const answer = await call(wire.call ?? '', wire.body, context);
  const json = answer?.json();
  if (!isOk(answer)) {
    const migratedTo = integerMember(json, 'parameters', 'migrate_to_chat_id');
    return migratedTo === undefined ? sort(answer, recipient) : { migratedTo };
  }
  const chat = integerMember(json, 'result', 'chat', 'id');
  const message = integerMember(json, 'result', 'message_id');
  // A message's id is only unique within its chat.
  const known = chat !== undefined && message !== undefined;
  return { outcome: 'sent', ...(known && { id: `${chat}:${message}` }) };
}

function parseId(id: string): { chat: string; message: number } {
  const colon = id.lastIndexOf(':');
  return { chat: id.slice(0, Math.max(colon, 0)), message: Number(id.slice(colon + 1)) };
}

function isOk(answer: FetchAnswer | undefined): boolean {
  return member(answer?.json(), 'ok') === true;
}

function descriptionOf(answer: FetchAnswer | undefined): string {
  return textMember(answer?.json(), 'description') ?? '';
}

type Failure = Exclude<Outcome, { outcome: 'sent' }>;

/** What an answer means that is no success. The descriptions are those of the vendor's own server. */
function sort(answer: FetchAnswer | undefined, recipient = ''): Failure {
  if (!answer) {
    return { outcome: 'permanent', blame: 'credentials', detail: 'this is not the token of a bot' };
  }
  const { status } = answer;
  const json = answer.json();
  const code = integerMember(json, 'error_code');
  const detail = descriptionOf(answer) || `Telegram answered ${status} without a reason`;
  if (status >= 500 || code === undefined) {
    // 503 is said before anything is done. With any other the message may have gone out, as it may
    // when a success cannot be read; only a refusal that is not Telegram's own leaves no doubt.
    const perhapsSent = status === 503 ? false : status >= 500 || status < 300;
    return { outcome: 'transient', perhapsSent, detail, code: code ?? String(status) };
  }
  if (code === '429') {
    // Telegram does not say which of its limits it was. Of groups it takes fewest, so there it is
    // most likely the group's own; anywhere else the bot as a whole had better wait.
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

const OF_CONTENT = /too long|is empty|must be encoded|parse entities|MESSAGE_EMPTY/i;
const CANNOT = /message can't be|message to edit not found|MESSAGE_ID_INVALID/i;

function refused(detail: string, code: string): Failure {
  const permanent = { outcome: 'permanent', detail, code } as const;
  // 404 is the answer to an address without a token that could be one, 421 to one of another server.
  if (['401', '404', '421'].includes(code)) return { ...permanent, blame: 'credentials' };
  if (code === '400' && CANNOT.test(detail)) return { ...permanent, blame: 'unsupported' };
  const ofContent = code === '413' || (code === '400' && OF_CONTENT.test(detail));
  return { ...permanent, blame: ofContent ? 'content' : 'recipient' };
}
