import { textMember } from '../../src/lib/json/json-member.ts';
import {
  badRequest,
  chatOf,
  telegramError,
  tooManyRequests,
} from '../../src/sandbox/vendors/telegram/requests.ts';
import { telegram } from '../../src/sandbox/vendors/telegram/simulator.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from './server/http.ts';
import { MemoryPhone } from './server/memory-phone.ts';

/* The simulator of Telegram, with the chats and files that tests need. */
export const TOKEN = telegram.credentials.token ?? '';

export { telegramError, tooManyRequests };

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

const FORBIDDEN: Readonly<Record<string, string>> = {
  [CHATS.blocked]: 'bot was blocked by the user',
  [CHATS.deactivated]: 'user is deactivated',
  [CHATS.kicked]: 'bot was kicked from the group chat',
};

export const FILE = 'AgACAgIAAxkBAAIfake';
export const FILE_BYTES = 'a photo';
const FILE_HEADERS = {
  'content-type': 'image/jpeg',
  'content-length': String(FILE_BYTES.length),
};

export async function openTelegram(): Promise<HttpPeer> {
  const phone = new MemoryPhone(100);
  // Existing messages to edit and delete.
  phone.put(CHATS.person, `${CHATS.person}:7`, { text: 'before' });
  phone.put(CHATS.person, `${CHATS.person}:6`, {
    media: [{ type: 'Image', url: 'https://example.com/before.png' }],
  });
  return openHttp(async (request) => {
    if (request.path === `/file/bot${TOKEN}/photos/file%201.jpg`) {
      return { status: 200, body: FILE_BYTES, headers: FILE_HEADERS };
    }
    return fileOf(request) ?? badChat(request) ?? telegram.respond(request, phone);
  });
}

function badChat(request: Request): Reply | undefined {
  const chat = chatOf(request);
  if (!request.path.startsWith(`/bot${TOKEN}/`) || chat === '') return undefined;
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

/** https://core.telegram.org/bots/api#getfile */
function fileOf({ path, json }: Request): Reply | undefined {
  if (path !== `/bot${TOKEN}/getFile`) return undefined;
  const id = textMember(json, 'file_id');
  if (id === 'large') return badRequest('file is too big');
  if (id !== FILE) return undefined;
  const file = {
    file_id: id,
    file_unique_id: 'AQAD',
    file_size: 7,
    file_path: 'photos/file 1.jpg',
  };
  return { status: 200, body: { ok: true, result: file } };
}
