import { listMember, textMember } from '../../../src/lib/json/json-member.ts';
import { matrixError } from '../../../src/sandbox/vendors/matrix/content.ts';
import { respondAs, sendIn } from '../../../src/sandbox/vendors/matrix/homeserver.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from '../server/http.ts';
import { MemoryPhone } from '../server/memory-phone.ts';

/* The simulator of a Matrix homeserver, with the rooms, users and tokens that tests need. */
export { matrixError };

export const TOKEN = 'syt_fake_token_of_a_bot';
export const EXPIRED = 'syt_fake_token_that_has_expired';
export const REFRESH = 'syr_fake_refresh_token';
export const RENEWED = { token: 'syt_fake_token_anew', refresh: 'syr_fake_refresh_token_anew' };

export const SELF = '@bot:example.org';
export const ROOM = '!room:example.org';
/** The id of the first message, and of its second part. */
export const FIRST = '$message-1-part-1';
export const SECOND = '$message-1-part-1-2';
/** Users: with a direct room, with a room that they left, without one, and one who refuses invitations. */
export const ADA = '@ada:example.org';
export const BOB = '@bob:example.org';
export const CARA = '@cara:example.org';
export const DAN = '@dan:example.org';
export const MAX_BYTES = 100_000;

const JOINED = [
  ROOM,
  '!hashed-without-a-server',
  '!with-ada:example.org',
  '!left-by-bob:example.org',
];

export const limited = (headers = {}, more = {}): Reply => ({
  ...matrixError(429, 'M_LIMIT_EXCEEDED', 'Too Many Requests', more),
  headers,
});

const forbidden = (error: string) => matrixError(403, 'M_FORBIDDEN', error);
const ok = (body: object): Reply => ({ status: 200, body });

export async function openMatrix(): Promise<HttpPeer> {
  const phone = new MemoryPhone();
  phone.put(ROOM, `${ROOM}/$before`, { text: 'before' });
  const tokens = new Set([TOKEN]);
  const rooms = new Set(JOINED);
  let direct: unknown = {
    [ADA]: ['!gone:example.org', '!with-ada:example.org'],
    [BOB]: ['!left-by-bob:example.org'],
  };
  const home = {
    name: 'example.org',
    self: SELF,
    isToken: (token: string) => tokens.has(token),
    people: [],
    maxFileBytes: MAX_BYTES,
  };

  const accountData = ({ method, json }: Request): Reply => {
    if (method === 'GET') return ok(direct as object);
    direct = json;
    return ok({});
  };

  const special = (request: Request): Reply | undefined => {
    const { pathname } = new URL(request.path, 'http://localhost');
    const path = decodeURIComponent(pathname.replace(/^\/_matrix\/client\/v3\//, ''));
    if (path === 'refresh') return refresh(request, tokens);
    if (request.headers['authorization'] === `Bearer ${EXPIRED}`) {
      const more = { soft_logout: true };
      return matrixError(401, 'M_UNKNOWN_TOKEN', 'Invalid access token', more);
    }
    if (path === `user/${SELF}/account_data/m.direct`) return accountData(request);
    const { room } = sendIn(request) ?? {};
    if (room !== undefined && !rooms.has(room)) {
      return forbidden(`User ${SELF} not in room ${room}`);
    }
    return path === 'createRoom' ? refusalOf(request) : memberOf(path, rooms);
  };

  return openHttp(async (request) => {
    const reply = special(request) ?? (await respondAs(home, request, phone));
    const made = textMember(reply.body, 'room_id');
    if (made !== undefined) rooms.add(made);
    return reply;
  });
}

function refusalOf({ json }: Request): Reply | undefined {
  const isRefused = listMember(json, 'invite').includes(DAN);
  return isRefused ? matrixError(403, 'M_INVITE_BLOCKED', 'no invitations') : undefined;
}

function memberOf(path: string, rooms: ReadonlySet<string>): Reply | undefined {
  const [, room = '', user] = /^rooms\/(.+)\/state\/m\.room\.member\/(.+)$/.exec(path) ?? [];
  if (user === undefined) return undefined;
  if (!rooms.has(room)) return forbidden(`${SELF} not in room`);
  return room.includes(user.slice(1, 4))
    ? ok({ membership: room.startsWith('!left') ? 'leave' : 'join' })
    : undefined;
}

function refresh({ json, headers }: Request, tokens: Set<string>): Reply {
  if (headers['authorization'] !== undefined) {
    return matrixError(400, 'M_BAD_JSON', 'EMULATOR: there is a token');
  }
  if (textMember(json, 'refresh_token') !== REFRESH) {
    return matrixError(401, 'M_UNKNOWN_TOKEN', 'refresh token does not exist');
  }
  tokens.add(RENEWED.token);
  return ok({
    access_token: RENEWED.token,
    refresh_token: RENEWED.refresh,
    expires_in_ms: 300_000,
  });
}
