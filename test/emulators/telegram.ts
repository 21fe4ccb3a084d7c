import { integerMember, member } from '../../src/lib/json/json-member.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from './server/http.ts';

/*
 * The parts of Telegram's Bot API that we use, at least as strict as documented: fields that Telegram would
 * silently ignore are refused. https://core.telegram.org/bots/api
 */
export const TOKEN = '4242:fake-token-of-a-bot';

/** Chats that the bot can write to, and their other names. */
export const CHATS = {
  person: '123456789',
  large: '4503599627370497',
  group: '-1001234567890',
  channel: '@example_channel',
  migrated: '-42',
  blocked: '666',
  deactivated: '667',
  kicked: '-668',
} as const;

const CHANNEL_ID = -1_009_999_999_999;

const FORBIDDEN: Readonly<Record<string, string>> = {
  [CHATS.blocked]: 'bot was blocked by the user',
  [CHATS.deactivated]: 'user is deactivated',
  [CHATS.kicked]: 'bot was kicked from the group chat',
};

export function telegramError(code: number, description: string, parameters?: object): Reply {
  return {
    status: code,
    body: { ok: false, error_code: code, description, ...(parameters && { parameters }) },
  };
}

export const tooManyRequests = (seconds: number): Reply => ({
  ...telegramError(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds }),
  headers: { 'retry-after': String(seconds) },
});

const badRequest = (what: string) => telegramError(400, `Bad Request: ${what}`);
const ok = (result: unknown): Reply => ({ status: 200, body: { ok: true, result } });

/** The fields of each method that we use; those with a star are required. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  getMe: [],
  sendMessage: ['text*', 'parse_mode', 'link_preview_options'],
  sendPhoto: ['photo*', 'caption', 'parse_mode'],
  sendVideo: ['video*', 'caption', 'parse_mode'],
  sendAudio: ['audio*', 'caption', 'parse_mode'],
  sendDocument: ['document*', 'caption', 'parse_mode'],
  sendLocation: ['latitude*', 'longitude*'],
  sendVenue: ['latitude*', 'longitude*', 'title*', 'address*'],
  editMessageText: ['message_id*', 'text*', 'parse_mode', 'link_preview_options', 'reply_markup'],
  editMessageMedia: ['message_id*', 'media*', 'reply_markup'],
  editMessageCaption: ['message_id*', 'caption*', 'parse_mode', 'reply_markup'],
  deleteMessage: ['message_id*'],
  setWebhook: ['url*', 'secret_token*', 'allowed_updates*'],
  getFile: ['file_id*'],
};
/** Methods without a chat. */
const CHATLESS = ['getMe', 'setWebhook', 'getFile'];
const ANY_SEND = [
  'message_thread_id',
  'reply_parameters',
  'reply_markup',
  'disable_notification',
  'protect_content',
];

const ME = {
  id: 4242,
  is_bot: true,
  first_name: 'Example',
  username: 'example_bot',
  can_join_groups: true,
};

export async function openTelegram(): Promise<HttpPeer> {
  let last = 100;
  // An existing message to edit and delete.
  const messages = new Map([
    [`${CHATS.person}:7`, '{"text":"before"}'],
    [`${CHATS.person}:6`, '{"photo":"https://example.com/before.png"}'],
  ]);

  const answer = (method: string, request: Request): Reply => {
    if (method === 'getMe') return ok(ME);
    if (method === 'setWebhook') return badHook(request) ?? ok(true);
    if (method === 'getFile') return fileOf(request);
    const chat = chatOf(request);
    const { chat_id: _, message_id: __, ...content } = request.json as Record<string, unknown>;
    if (method.startsWith('send')) {
      const id = ++last;
      messages.set(`${chat}:${id}`, JSON.stringify(content));
      return ok(message(chat, id));
    }
    const id = integerMember(request.json, 'message_id');
    const key = `${chat}:${id}`;
    const before = messages.get(key);
    if (method === 'deleteMessage') {
      return messages.delete(key) ? ok(true) : badRequest('message to delete not found');
    }
    if (before === undefined) return badRequest('message to edit not found');
    if (method === 'editMessageText' && !before.includes('"text"')) {
      return badRequest('there is no text in the message to edit');
    }
    if (before === JSON.stringify(content)) {
      return badRequest('message is not modified: specified new message content');
    }
    messages.set(key, JSON.stringify(content));
    return ok(message(chat, Number(id)));
  };

  return openHttp((request) => {
    if (request.path === `/file/bot${TOKEN}/photos/file%201.jpg`) {
      return { status: 200, body: FILE_BYTES, headers: FILE_HEADERS };
    }
    const [, token, name = ''] = /^\/bot([^/]*)\/(\w+)$/.exec(request.path) ?? [];
    if (token === undefined) return telegramError(404, 'Not Found');
    if (token !== TOKEN) return telegramError(401, 'Unauthorized');
    if (!KNOWN[name]) return telegramError(404, 'Not Found: method not found');
    if (request.method !== 'POST') return badRequest(`EMULATOR: ${request.method} instead of POST`);
    if (request.headers['content-type'] !== 'application/json') {
      return badRequest('EMULATOR: the content type is not application/json');
    }
    return faultOf(name, request) ?? answer(name, request);
  });
}

function faultOf(method: string, request: Request): Reply | undefined {
  const { json } = request;
  return (
    unknownField(method, request) ??
    (CHATLESS.includes(method) ? undefined : badChat(request)) ??
    badText(json, method === 'editMessageMedia' ? ['media'] : []) ??
    badFile(json) ??
    badPlace(json) ??
    badReply(json) ??
    badKeyboard(json)
  );
}

function unknownField(method: string, { json }: Request): Reply | undefined {
  if (typeof json !== 'object' || json === null) return badRequest('EMULATOR: no JSON object');
  const own = KNOWN[method] ?? [];
  const fields = CHATLESS.includes(method) ? own : ['chat_id*', ...own];
  const known = fields.map((field) => field.replace('*', ''));
  const allowed = method.startsWith('send') ? [...known, ...ANY_SEND] : known;
  const unknown = Object.keys(json).find((field) => !allowed.includes(field));
  if (unknown !== undefined) return badRequest(`EMULATOR: unknown field ${unknown}`);
  const missing = fields.find((field) => field.endsWith('*') && !(field.slice(0, -1) in json));
  return missing === undefined ? undefined : badRequest(`EMULATOR: ${missing} is missing`);
}

/** An integer may also be written as a string. */
function writtenChat({ json }: Request): string {
  const chat = member(json, 'chat_id');
  return typeof chat === 'string' ? chat : (integerMember(json, 'chat_id') ?? '');
}

function badChat(request: Request): Reply | undefined {
  const chat = writtenChat(request);
  if (chat === '') return badRequest('chat_id is empty');
  if (chat === CHATS.migrated) {
    return telegramError(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
      migrate_to_chat_id: Number(CHATS.group),
    });
  }
  const forbidden = FORBIDDEN[chat];
  if (forbidden !== undefined) return telegramError(403, `Forbidden: ${forbidden}`);
  const known: readonly string[] = Object.values(CHATS);
  return known.includes(chat) ? undefined : badRequest('chat not found');
}

function chatOf(request: Request): number {
  const chat = writtenChat(request);
  return chat === CHATS.channel ? CHANNEL_ID : Number(chat);
}

const PARTS = /<(\/?)([a-z]+)(?: href="[^"<>]*")?>|&(?:amp|lt|gt|quot);|[^<>&]/gu;

/** The text of parsed HTML; undefined when it is malformed. https://core.telegram.org/bots/api#html-style */
function parseHtml(html: string): string | undefined {
  const open: string[] = [];
  let [text, read] = ['', 0];
  for (const [part, closing, name] of html.matchAll(PARTS)) {
    read += part.length;
    if (name === undefined) text += part.length > 2 ? '&' : part;
    else if (!['b', 'i', 's', 'code', 'pre', 'a'].includes(name)) return undefined;
    else if (part.includes('href') !== (name === 'a' && closing === '')) return undefined;
    else if (closing === '') open.push(name);
    else if (open.pop() !== name) return undefined;
  }
  return read === html.length && open.length === 0 ? text : undefined;
}

function badText(json: unknown, path: readonly string[]): Reply | undefined {
  const mode = member(json, ...path, 'parse_mode');
  if (mode !== undefined && mode !== 'HTML') return badRequest('unsupported parse_mode');
  for (const [field, most] of [
    ['text', 4096],
    ['caption', 1024],
  ] as const) {
    const written = member(json, ...path, field);
    if (written === undefined) continue;
    if (typeof written !== 'string') return badRequest(`EMULATOR: ${field} is no text`);
    const text = mode === 'HTML' ? parseHtml(written) : written;
    if (text === undefined) return badRequest("can't parse entities: unsupported start tag");
    if (text.trim() === '') return badRequest(`message ${field} is empty`);
    if (text.length > most) return badRequest(`message ${field} is too long`);
  }
  return undefined;
}

/** Derived from the file extension, which stands for the server's media type. */
const FETCHED: Readonly<Record<string, RegExp>> = {
  photo: /\.(png|jpg)$/,
  video: /\.mp4$/,
  audio: /\.(mp3|m4a)$/,
  document: /\.(pdf|zip|gif)$/,
};

function badFile(json: unknown): Reply | undefined {
  const type = member(json, 'media', 'type');
  const files =
    type === undefined
      ? Object.keys(FETCHED).map((kind) => [kind, member(json, kind)] as const)
      : [[String(type), member(json, 'media', 'media')] as const];
  for (const [kind, url] of files) {
    if (url === undefined) continue;
    const isUrl = typeof url === 'string' && /^https?:\/\//.test(url);
    if (!isUrl) return badRequest('wrong file identifier/HTTP URL specified');
    if (url.includes('missing')) return badRequest('failed to get HTTP URL content');
    // Telegram uses the media type of the response; the emulator uses the file extension.
    if (!FETCHED[kind]?.test(new URL(url).pathname)) {
      return badRequest('wrong type of the web page content');
    }
  }
  return undefined;
}

function badPlace(json: unknown): Reply | undefined {
  const [latitude, longitude] = [member(json, 'latitude'), member(json, 'longitude')];
  if (latitude === undefined && longitude === undefined) return undefined;
  const fits = (value: unknown, most: number) =>
    typeof value === 'number' && Math.abs(value) <= most;
  return fits(latitude, 90) && fits(longitude, 180) ? undefined : badRequest('wrong coordinates');
}

function badReply(json: unknown): Reply | undefined {
  const thread = member(json, 'message_thread_id');
  if (thread !== undefined && !Number.isSafeInteger(thread)) {
    return badRequest('EMULATOR: message_thread_id is no integer');
  }
  const reply = member(json, 'reply_parameters');
  if (reply === undefined) return undefined;
  const {
    message_id: id,
    allow_sending_without_reply: allow,
    ...rest
  } = reply as Request['headers'];
  const fits = Number.isSafeInteger(id) && typeof allow === 'boolean';
  return fits && Object.keys(rest).length === 0
    ? undefined
    : badRequest('EMULATOR: reply_parameters');
}

function badKeyboard(json: unknown): Reply | undefined {
  const rows = member(json, 'reply_markup', 'inline_keyboard');
  if (rows === undefined) return undefined;
  for (const { text, url, callback_data: data, ...rest } of (
    rows as Request['headers'][][]
  ).flat()) {
    if (!text || Object.keys(rest).length > 0) return badRequest('EMULATOR: a button');
    if ((url === undefined) === (data === undefined)) return badRequest('EMULATOR: a button');
    if (url !== undefined && !/^https?:\/\//.test(url)) return badRequest('BUTTON_URL_INVALID');
    if (data !== undefined && Buffer.byteLength(data) > 64)
      return badRequest('BUTTON_DATA_INVALID');
  }
  return undefined;
}

/** https://core.telegram.org/bots/api#setwebhook */
function badHook({ json }: Request): Reply | undefined {
  const [url, secret, updates] = ['url', 'secret_token', 'allowed_updates'].map((name) =>
    member(json, name),
  );
  if (typeof url !== 'string' || !url.startsWith('https://')) {
    return badRequest('bad webhook: An HTTPS URL must be provided for webhook');
  }
  if (typeof secret !== 'string' || !/^[\w-]{1,256}$/.test(secret)) {
    return badRequest('secret token contains unallowed characters');
  }
  const areKnown = Array.isArray(updates) && updates.every((each) => typeof each === 'string');
  return areKnown ? undefined : badRequest("can't parse allowed updates");
}

export const FILE = 'AgACAgIAAxkBAAIfake';
export const FILE_BYTES = 'a photo';
const FILE_HEADERS = {
  'content-type': 'image/jpeg',
  'content-length': String(FILE_BYTES.length),
};

/** https://core.telegram.org/bots/api#getfile */
function fileOf({ json }: Request): Reply {
  const id = member(json, 'file_id');
  if (id === 'large') return badRequest('file is too big');
  if (id !== FILE) return badRequest('wrong file_id or the file is temporarily unavailable');
  return ok({ file_id: id, file_unique_id: 'AQAD', file_size: 7, file_path: 'photos/file 1.jpg' });
}

function message(chat: number, id: number) {
  const type = chat > 0 ? 'private' : chat === CHANNEL_ID ? 'channel' : 'supergroup';
  return { message_id: id, date: 1_794_700_800, chat: { id: chat, type } };
}
