import { integerMember, member, numberMember, textMember } from '../../../lib/json/json-member.ts';
import type { Phone } from '../../phone.ts';
import { type ShownButton, type ShownContent, type ShownMedia, shownText } from '../../shown.ts';
import type { Simulator } from '../../simulator.ts';
import type { Reply, Request } from '../../wire/request.ts';
import {
  type Key,
  badRequest,
  chatOf,
  faultOf,
  keysIn,
  methodOf,
  telegramError,
  textIn,
  tooManyRequests,
} from './requests.ts';
import { updates } from './updates.ts';

/* Telegram's Bot API. https://core.telegram.org/bots/api */

const TOKEN = '4242:fake-token-of-a-bot';
const BOT = { id: 4242, is_bot: true, first_name: 'Example', username: 'example_bot' };
/** The id of every public channel, which is addressed by its name. */
const CHANNEL_ID = -1_009_999_999_999;

const isShared = (chat: string) => /^[-@]/.test(chat);

const ok = (result: unknown): Reply => ({ status: 200, body: { ok: true, result } });

export const telegram: Simulator = {
  channel: 'telegram',
  credentials: { token: TOKEN, secret: 'fake-webhook-secret' },
  people: [
    { address: '123456789', name: 'Ada Example' },
    { address: '223456789', name: 'Grace Example' },
    { address: '-1001234567890', name: 'Example group', isRoom: true },
  ],
  isRoom: isShared,
  hasPlaces: () => true,
  magicAddress: (number) => `900000${number}`,

  recipientOf(request) {
    const method = methodOf(request, TOKEN);
    return typeof method === 'string' && method.startsWith('send') ? chatOf(request) : undefined;
  },

  async respond(request, phone) {
    const [, file] = /^\/file\/bot4242:fake-token-of-a-bot\/files\/(\w+)$/.exec(request.path) ?? [];
    if (file !== undefined) return download(file, phone);
    const method = methodOf(request, TOKEN);
    if (typeof method !== 'string') return method;
    const fault = faultOf(method, request);
    if (fault) return fault;
    if (method === 'getMe') return ok({ ...BOT, can_join_groups: true });
    if (method === 'setWebhook') return ok(true);
    if (method === 'getFile') return describeFile(request, phone);
    if (method.startsWith('send')) return send(request, phone);
    return change(method, request, phone);
  },

  refusals: {
    blocked: () => telegramError(403, 'Forbidden: bot was blocked by the user'),
    unknown: () => badRequest('chat not found'),
    limited: (seconds) => tooManyRequests(seconds),
    credentials: () => telegramError(401, 'Unauthorized'),
  },

  /** https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this */
  limits: [
    { count: 30, seconds: 1, per: 'account' },
    { count: 1, seconds: 1, per: 'recipient', appliesTo: (to) => !isShared(to) },
    { count: 20, seconds: 60, per: 'recipient', appliesTo: isShared },
  ],
  reports: updates,
};

const idOf = (chat: string) => (chat.startsWith('@') ? CHANNEL_ID : Number(chat));

async function send(request: Request, phone: Phone): Promise<Reply> {
  const chat = chatOf(request);
  const content = contentOf(request.json, idOf(chat));
  const { number, createdAt } = await phone.show(chat, content, (id) => `${idOf(chat)}:${id}`);
  return ok(messageOf(idOf(chat), number, createdAt));
}

async function change(method: string, request: Request, phone: Phone): Promise<Reply> {
  const id = integerMember(request.json, 'message_id') ?? '';
  const chat = idOf(chatOf(request));
  const before = await phone.find(`${chat}:${id}`);
  if (method === 'deleteMessage') {
    if (!before) return badRequest('message to delete not found');
    await phone.remove(before);
    return ok(true);
  }
  if (!before || before.author === 'person') return badRequest('message to edit not found');
  const { media, reply_to: replyTo, edited: _, kind: __, status: ___, ...old } = before.entry;
  if (method === 'editMessageText' && media) {
    return badRequest('there is no text in the message to edit');
  }
  const kept = { ...(replyTo !== undefined && { reply_to: replyTo }) };
  const given = contentOf(
    method === 'editMessageMedia' ? mediaFields(request.json) : request.json,
    chat,
  );
  const content = { ...(method === 'editMessageCaption' && media && { media }), ...given };
  if (JSON.stringify(content) === JSON.stringify({ ...(media && { media }), ...old })) {
    return badRequest('message is not modified: specified new message content');
  }
  await phone.edit(before, { ...kept, ...content });
  return ok(messageOf(chat, Number(id), before.createdAt));
}

/** The media of an edit, in the fields of a new message. */
function mediaFields(json: unknown): object {
  const media = member(json, 'media');
  const type = textMember(media, 'type') ?? '';
  const caption = { caption: member(media, 'caption'), parse_mode: member(media, 'parse_mode') };
  return { ...caption, [type]: member(media, 'media'), reply_markup: member(json, 'reply_markup') };
}

const MEDIA = {
  photo: 'Image',
  video: 'Video',
  audio: 'Audio',
  document: 'Document',
} as const satisfies Record<string, ShownMedia['type']>;

/** The content of the request, in the order in which it is compared with an edit. */
function contentOf(json: unknown, chat: number): ShownContent {
  const media = Object.entries(MEDIA).flatMap(([field, type]) => {
    const url = textMember(json, field);
    return url === undefined ? [] : [{ type, url }];
  });
  const text = textIn(json, 'text') ?? textIn(json, 'caption') ?? [];
  const [latitude, longitude] = ['latitude', 'longitude'].map((name) => numberMember(json, name));
  const title = textMember(json, 'title');
  const buttons = keysIn(json).map(buttonOf);
  const reply = integerMember(json, 'reply_parameters', 'message_id');
  const thread = integerMember(json, 'message_thread_id');
  return {
    ...(media.length > 0 && { media }),
    ...shownText(text),
    ...(latitude !== undefined &&
      longitude !== undefined && {
        place: { latitude, longitude, ...(title !== undefined && { name: title }) },
      }),
    ...(buttons.length > 0 && { buttons }),
    ...(reply !== undefined && { reply_to: `${chat}:${reply}` }),
    ...(thread !== undefined && { thread: `${chat}:${thread}` }),
  };
}

const buttonOf = ({ text: label, url, callback_data: value }: Key): ShownButton =>
  url === undefined ? { label, value: value ?? label } : { label, url };

function messageOf(chat: number, id: number, at: number) {
  const type = chat > 0 ? 'private' : chat === CHANNEL_ID ? 'channel' : 'supergroup';
  return { message_id: id, date: Math.floor(at / 1000), chat: { id: chat, type } };
}

/** https://core.telegram.org/bots/api#getfile */
async function describeFile({ json }: Request, phone: Phone): Promise<Reply> {
  const id = textMember(json, 'file_id') ?? '';
  const file = await phone.file(id);
  if (!file) return badRequest('wrong file_id or the file is temporarily unavailable');
  return ok({
    file_id: id,
    file_unique_id: id,
    file_size: file.bytes.length,
    file_path: `files/${id}`,
  });
}

async function download(id: string, phone: Phone): Promise<Reply> {
  const file = await phone.file(id);
  if (!file) return telegramError(404, 'Not Found');
  return { status: 200, headers: { 'content-type': file.mediaType }, body: file.bytes };
}
