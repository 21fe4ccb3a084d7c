import { integerMember, member } from '../../src/lib/member.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from './http.ts';

/*
 * Telegram's Bot API, as far as we use it, as strict as it is documented or stricter: what it would
 * silently ignore is refused here. https://core.telegram.org/bots/api
 */
export const TOKEN = '4242:fake-token-of-a-bot';

/** Chats that the bot can write to, and what they are called elsewhere. */
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

export async function openTelegram(): Promise<HttpPeer> {
  let last = 100;
  const messages = new Map<string, string>();
  const methods: Readonly<Record<string, (request: Request) => Reply>> = {
    getMe: () =>
      ok({
        id: 4242,
        is_bot: true,
        first_name: 'Example',
        username: 'example_bot',
        can_join_groups: true,
      }),

    sendMessage(request) {
      const fault =
        unknownField(request, ['chat_id', 'text']) ?? badChat(request) ?? badText(request);
      if (fault) return fault;
      const [chat, text] = [chatOf(request), String(member(request.json, 'text'))];
      const id = ++last;
      messages.set(`${chat}:${id}`, text);
      return ok(message(chat, id, text));
    },

    editMessageText(request) {
      const fault =
        unknownField(request, ['chat_id', 'message_id', 'text']) ??
        badChat(request) ??
        badText(request);
      if (fault) return fault;
      const [chat, text] = [chatOf(request), String(member(request.json, 'text'))];
      const id = integerMember(request.json, 'message_id');
      const before = messages.get(`${chat}:${id}`);
      if (before === undefined) return badRequest('message to edit not found');
      if (before === text)
        return badRequest('message is not modified: specified new message content');
      messages.set(`${chat}:${id}`, text);
      return ok(message(chat, Number(id), text));
    },

    deleteMessage(request) {
      const fault = unknownField(request, ['chat_id', 'message_id']) ?? badChat(request);
      if (fault) return fault;
      const key = `${chatOf(request)}:${integerMember(request.json, 'message_id')}`;
      return messages.delete(key) ? ok(true) : badRequest('message to delete not found');
    },
  };
  // Something to edit and to delete.
  messages.set(`${CHATS.person}:7`, 'before');

  return openHttp((request) => {
    const [, token, name = ''] = /^\/bot([^/]*)\/(\w+)$/.exec(request.path) ?? [];
    if (token === undefined) return telegramError(404, 'Not Found');
    if (token !== TOKEN) return telegramError(401, 'Unauthorized');
    const method = methods[name];
    if (!method) return telegramError(404, 'Not Found: method not found');
    if (request.method !== 'POST') return badRequest(`EMULATOR: ${request.method} instead of POST`);
    if (request.headers['content-type'] !== 'application/json') {
      return badRequest('EMULATOR: the content type is not application/json');
    }
    return method(request);
  });
}

function unknownField({ json }: Request, fields: readonly string[]): Reply | undefined {
  if (typeof json !== 'object' || json === null) return badRequest('EMULATOR: no JSON object');
  const unknown = Object.keys(json).find((field) => !fields.includes(field));
  return unknown === undefined ? undefined : badRequest(`EMULATOR: unknown field ${unknown}`);
}

/** An integer may be written as a text, too. */
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

function badText({ json }: Request): Reply | undefined {
  const text = member(json, 'text');
  if (typeof text !== 'string' || text.trim() === '') return badRequest('message text is empty');
  return text.length > 4096 ? badRequest('message is too long') : undefined;
}

function message(chat: number, id: number, text: string) {
  const type = chat > 0 ? 'private' : chat === CHANNEL_ID ? 'channel' : 'supergroup';
  return { message_id: id, date: 1_794_700_800, chat: { id: chat, type }, text };
}
