import { integerMember, member, textMember } from '../../../lib/json/json-member.ts';
import {
  type Look,
  type RichText,
  charactersOf,
  unstyled,
} from '../../../lib/rich-text/rich-text.ts';
import type { Reply, Request } from '../../wire/request.ts';

/*
 * The requests of Telegram's Bot API that we use, at least as strict as documented: fields that Telegram would silently
 * ignore are refused. https://core.telegram.org/bots/api
 */

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

export const badRequest = (what: string) => telegramError(400, `Bad Request: ${what}`);

/** The fields of each method that we use; those with a star are required. */
const METHODS: Readonly<Record<string, readonly string[]>> = {
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
const CHATLESS = new Set(['getMe', 'setWebhook', 'getFile']);
const ANY_SEND = [
  'message_thread_id',
  'reply_parameters',
  'reply_markup',
  'disable_notification',
  'protect_content',
];

/** The method of a request, or an error. */
export function methodOf(request: Request, token: string): string | Reply {
  const [, sentToken, name = ''] = /^\/bot([^/]*)\/(\w+)$/.exec(request.path) ?? [];
  if (sentToken === undefined) return telegramError(404, 'Not Found');
  if (sentToken !== token) return telegramError(401, 'Unauthorized');
  if (!METHODS[name]) return telegramError(404, 'Not Found: method not found');
  if (request.method !== 'POST') return badRequest(`SIMULATOR: ${request.method} instead of POST`);
  if (request.headers['content-type'] !== 'application/json') {
    return badRequest('SIMULATOR: the content type is not application/json');
  }
  return name;
}

export function faultOf(method: string, request: Request): Reply | undefined {
  const { json } = request;
  return (
    unknownField(method, request) ??
    (CHATLESS.has(method) || chatOf(request) !== '' ? undefined : badRequest('chat_id is empty')) ??
    badText(json, method === 'editMessageMedia' ? ['media'] : []) ??
    badFile(json) ??
    badPlace(json) ??
    badReply(json) ??
    badKeyboard(json) ??
    (method === 'setWebhook' ? badHook(request) : undefined)
  );
}

function unknownField(method: string, { json }: Request): Reply | undefined {
  if (typeof json !== 'object' || json === null) return badRequest('SIMULATOR: no JSON object');
  const specific = METHODS[method] ?? [];
  const fields = CHATLESS.has(method) ? specific : ['chat_id*', ...specific];
  const declared = fields.map((field) => field.replace('*', ''));
  const allowed = method.startsWith('send') ? [...declared, ...ANY_SEND] : declared;
  const unknown = Object.keys(json).find((field) => !allowed.includes(field));
  if (unknown !== undefined) return badRequest(`SIMULATOR: unknown field ${unknown}`);
  const missing = fields.find((field) => field.endsWith('*') && !(field.slice(0, -1) in json));
  return missing === undefined ? undefined : badRequest(`SIMULATOR: ${missing} is missing`);
}

/** An integer may also be written as a string. */
export function chatOf({ json }: Pick<Request, 'json'>): string {
  const chat = member(json, 'chat_id');
  return typeof chat === 'string' ? chat : (integerMember(json, 'chat_id') ?? '');
}

const PARTS = /<(\/?)([a-z]+)(?: href="([^"<>]*)")?>|&(?:amp|lt|gt|quot);|[^<>&]/gu;
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
};
const LOOKS: Readonly<Record<string, Look>> = {
  b: { bold: true },
  i: { italic: true },
  s: { strike: true },
  code: { code: true },
  pre: { block: true },
  a: {},
};

/** Undefined when the HTML is malformed. https://core.telegram.org/bots/api#html-style */
function readTelegramHtml(html: string): RichText | undefined {
  const open: { name: string; look: Look }[] = [];
  const runs: { text: string; look: Look }[] = [];
  let read = 0;
  for (const [part, closing, name, href] of html.matchAll(PARTS)) {
    read += part.length;
    if (name === undefined) {
      const look = Object.assign({}, ...open.map((each) => each.look)) as Look;
      const text = ENTITIES[part] ?? part;
      const last = runs.at(-1);
      if (last && JSON.stringify(last.look) === JSON.stringify(look)) last.text += text;
      else runs.push({ text, look });
      continue;
    }
    const style = LOOKS[name];
    if (!style || (href !== undefined) !== (name === 'a' && closing === '')) return undefined;
    if (closing === '') {
      open.push({ name, look: href === undefined ? style : { link: readEntities(href) } });
    } else if (open.pop()?.name !== name) return undefined;
  }
  return read === html.length && open.length === 0 ? runs : undefined;
}

const readEntities = (text: string) =>
  text.replaceAll(/&(?:amp|lt|gt|quot);/g, (entity) => ENTITIES[entity] ?? entity);

/** The text as it is shown, in the request or in a part of it; undefined if it has none. */
export function textIn(json: unknown, field: 'text' | 'caption'): RichText | undefined {
  const written = member(json, field);
  if (typeof written !== 'string') return undefined;
  return member(json, 'parse_mode') === 'HTML' ? readTelegramHtml(written) : unstyled(written);
}

function badText(json: unknown, path: readonly string[]): Reply | undefined {
  const mode = member(json, ...path, 'parse_mode');
  if (mode !== undefined && mode !== 'HTML') return badRequest('unsupported parse_mode');
  for (const [field, maxLength] of [
    ['text', 4096],
    ['caption', 1024],
  ] as const) {
    const written = member(json, ...path, field);
    if (written === undefined) continue;
    if (typeof written !== 'string') return badRequest(`SIMULATOR: ${field} is not a string`);
    const rich = textIn(path.length === 0 ? json : member(json, ...path), field);
    if (rich === undefined) return badRequest("can't parse entities: unsupported start tag");
    const text = charactersOf(rich);
    if (text.trim() === '') return badRequest(`message ${field} is empty`);
    if (text.length > maxLength) return badRequest(`message ${field} is too long`);
  }
  return undefined;
}

/** The file extensions that each kind of file accepts. */
const EXTENSIONS: Readonly<Record<string, RegExp>> = {
  photo: /\.(png|jpg|jpeg|webp|gif|bmp)$/,
  video: /\.mp4$/,
  audio: /\.(mp3|m4a)$/,
  document: /\.(pdf|zip|gif)$/,
};

function badFile(json: unknown): Reply | undefined {
  const type = textMember(json, 'media', 'type');
  const files =
    type === undefined
      ? Object.keys(EXTENSIONS).map((kind) => [kind, member(json, kind)] as const)
      : [[type, member(json, 'media', 'media')] as const];
  for (const [kind, url] of files) {
    if (url === undefined) continue;
    const isUrl = typeof url === 'string' && /^https?:\/\//.test(url);
    if (!isUrl) return badRequest('wrong file identifier/HTTP URL specified');
    if (url.includes('missing')) return badRequest('failed to get HTTP URL content');
    // Telegram uses the media type of the response; nothing is fetched here, so the extension decides, if there is one.
    const path = URL.parse(url)?.pathname ?? '';
    if (/\.\w{1,8}$/.test(path) && !EXTENSIONS[kind]?.test(path)) {
      return badRequest('wrong type of the web page content');
    }
  }
  return undefined;
}

const isWithin = (value: unknown, max: number) =>
  typeof value === 'number' && Math.abs(value) <= max;

function badPlace(json: unknown): Reply | undefined {
  const [latitude, longitude] = [member(json, 'latitude'), member(json, 'longitude')];
  if (latitude === undefined && longitude === undefined) return undefined;
  return isWithin(latitude, 90) && isWithin(longitude, 180)
    ? undefined
    : badRequest('wrong coordinates');
}

function badReply(json: unknown): Reply | undefined {
  const thread = member(json, 'message_thread_id');
  if (thread !== undefined && !Number.isSafeInteger(thread)) {
    return badRequest('SIMULATOR: message_thread_id is not an integer');
  }
  const reply = member(json, 'reply_parameters');
  if (reply === undefined) return undefined;
  const { message_id: id, allow_sending_without_reply: allow, ...rest } = Object(reply) as Fields;
  const isValid = Number.isSafeInteger(id) && typeof allow === 'boolean';
  return isValid && Object.keys(rest).length === 0
    ? undefined
    : badRequest('SIMULATOR: invalid reply_parameters');
}

type Fields = Readonly<Record<string, unknown>>;

/** A button of an inline keyboard. https://core.telegram.org/bots/api#inlinekeyboardbutton */
export interface Key {
  text: string;
  url?: string;
  callback_data?: string;
}

export function keysIn(json: unknown): Key[] {
  const rows = member(json, 'reply_markup', 'inline_keyboard');
  return Array.isArray(rows) ? (rows as Key[][]).flat() : [];
}

function badKeyboard(json: unknown): Reply | undefined {
  for (const { text, url, callback_data: data, ...rest } of keysIn(json)) {
    if (!text || Object.keys(rest).length > 0) return badRequest('SIMULATOR: invalid button');
    if ((url === undefined) === (data === undefined))
      return badRequest('SIMULATOR: invalid button');
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
  const areStrings = Array.isArray(updates) && updates.every((each) => typeof each === 'string');
  return areStrings ? undefined : badRequest("can't parse allowed updates");
}
