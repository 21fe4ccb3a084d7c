import { member, textMember } from '../../../src/lib/json/json-member.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from '../server/http.ts';

/*
 * The parts of a Matrix homeserver that we use, at least as strict as documented: fields that it would silently
 * ignore are refused. https://spec.matrix.org/latest/client-server-api/
 */
export const TOKEN = 'syt_fake_token_of_a_bot';
export const EXPIRED = 'syt_fake_token_that_has_expired';
export const REFRESH = 'syr_fake_refresh_token';
export const RENEWED = { token: 'syt_fake_token_anew', refresh: 'syr_fake_refresh_token_anew' };

export const SELF = '@bot:example.org';
export const ROOM = '!room:example.org';
/** Users: with a direct room, with a room that they left, without one, and one who refuses invitations. */
export const ADA = '@ada:example.org';
export const BOB = '@bob:example.org';
export const CARA = '@cara:example.org';
export const DAN = '@dan:example.org';

const JOINED = [
  ROOM,
  '!hashed-without-a-server',
  '!with-ada:example.org',
  '!left-by-bob:example.org',
];

export const matrixError = (status: number, errcode: string, error = '', more = {}): Reply => ({
  status,
  body: { errcode, error, ...more },
});

export const limited = (headers = {}, more = {}): Reply => ({
  ...matrixError(429, 'M_LIMIT_EXCEEDED', 'Too Many Requests', more),
  headers,
});

const bad = (error: string) => matrixError(400, 'M_BAD_JSON', error);
const forbidden = (error: string) => matrixError(403, 'M_FORBIDDEN', error);
const ok = (body: object): Reply => ({ status: 200, body });

type Handler = (request: Request, ...parts: string[]) => Reply;

export async function openMatrix(): Promise<HttpPeer> {
  let last = 0;
  const sent = new Map<string, string>([['$before', ROOM]]);
  const transactions = new Map<string, Reply>();
  const contents = new Map<string, unknown>();
  const rooms = new Set(JOINED);
  let direct: unknown = {
    [ADA]: ['!gone:example.org', '!with-ada:example.org'],
    [BOB]: ['!left-by-bob:example.org'],
  };
  const tokens = new Set([TOKEN, RENEWED.token]);

  const once = (request: Request, answer: () => Reply): Reply => {
    const known = transactions.get(request.path) ?? answer();
    transactions.set(request.path, known);
    return known;
  };
  const event = (room: string): Reply => {
    const id = `$event-${++last}`;
    sent.set(id, room);
    return ok({ event_id: id });
  };

  const routes: readonly [string, RegExp, Handler][] = [
    ['GET', /^account\/whoami$/, () => ok({ user_id: SELF, device_id: 'A', is_guest: false })],
    [
      'PUT',
      /^rooms\/([^/]+)\/send\/m\.room\.message\/([^/]+)$/,
      (request, room = '') =>
        once(request, () => {
          if (!rooms.has(room)) return forbidden(`User ${SELF} not in room ${room}`);
          const reply = badContent(request.json, sent) ?? event(room);
          contents.set(textMember(reply.body, 'event_id') ?? '', request.json);
          return reply;
        }),
    ],
    [
      'GET',
      /^rooms\/([^/]+)\/event\/([^/]+)$/,
      (_, room = '', id = '') => {
        if (sent.get(id) !== room) return matrixError(404, 'M_NOT_FOUND', 'Event not found.');
        return ok({ event_id: id, type: 'm.room.message', content: contents.get(id) ?? {} });
      },
    ],
    [
      'PUT',
      /^rooms\/([^/]+)\/redact\/([^/]+)\/([^/]+)$/,
      (request, room = '', id = '') => {
        if (Object.keys(request.json ?? { none: 1 }).length > 0) return bad('EMULATOR: not {}');
        if (sent.get(id) !== room) return matrixError(404, 'M_NOT_FOUND', 'Could not find event');
        return event(room);
      },
    ],
    [
      'GET',
      /^rooms\/([^/]+)\/state\/m\.room\.member\/([^/]+)$/,
      (_, room = '', user = '') => {
        if (!rooms.has(room)) return forbidden(`${SELF} not in room`);
        if (room.includes(user.slice(1, 4))) {
          return ok({ membership: room.startsWith('!left') ? 'leave' : 'join' });
        }
        return matrixError(404, 'M_NOT_FOUND', 'Event not found.');
      },
    ],
    [
      'POST',
      /^createRoom$/,
      ({ json }) => {
        const { invite, ...wish } = json as { invite: string[] };
        if (JSON.stringify(wish) !== '{"is_direct":true,"preset":"trusted_private_chat"}') {
          return bad('EMULATOR: not a direct room');
        }
        if (invite.includes(DAN)) return matrixError(403, 'M_INVITE_BLOCKED', 'no invitations');
        const room = `!made-for-${invite.join().slice(1, 4)}:example.org`;
        rooms.add(room);
        return ok({ room_id: room });
      },
    ],
    [
      'GET',
      /^user\/([^/]+)\/account_data\/m\.direct$/,
      (_, user) => (user === SELF ? ok(direct as object) : forbidden('another user')),
    ],
    [
      'PUT',
      /^user\/([^/]+)\/account_data\/m\.direct$/,
      ({ json }, user) => {
        if (user !== SELF) return forbidden('another user');
        direct = json;
        return ok({});
      },
    ],
  ];

  return openHttp((request) => {
    const url = new URL(request.path, 'http://localhost');
    const isUpload = url.pathname === '/_matrix/media/v3/upload';
    const path = url.pathname.replace(/^\/_matrix\/client\/v3\//, '');
    if (path === url.pathname && !isUpload)
      return matrixError(404, 'M_UNRECOGNIZED', 'Unrecognized request');
    const isJson = request.headers['content-type'] === 'application/json';
    if (request.method !== 'GET' && !isJson && !isUpload) {
      return matrixError(400, 'M_NOT_JSON', 'Content not JSON.');
    }
    if (path === 'refresh') return refresh(request, tokens);
    const [, token] = /^Bearer (.+)$/.exec(request.headers['authorization'] ?? '') ?? [];
    if (token === undefined) return matrixError(401, 'M_MISSING_TOKEN', 'Missing access token');
    if (!tokens.has(token)) {
      const more = { soft_logout: token === EXPIRED };
      return matrixError(401, 'M_UNKNOWN_TOKEN', 'Invalid access token', more);
    }
    if (isUpload) return upload(request, url.searchParams);
    for (const [method, pattern, handle] of routes) {
      const found = pattern.exec(path);
      if (found && method === request.method) {
        return handle(request, ...found.slice(1).map(decodeURIComponent));
      }
    }
    return matrixError(404, 'M_UNRECOGNIZED', 'Unrecognized request');
  });
}

/** https://spec.matrix.org/latest/client-server-api/#post_matrixmediav3upload */
function upload({ method, headers, bytes }: Request, query: URLSearchParams): Reply {
  if (method !== 'POST') return matrixError(405, 'M_UNRECOGNIZED', 'Unrecognized request');
  const others = [...query.keys()].filter((key) => key !== 'filename' && key !== 'user_id');
  if (others.length > 0 || !query.get('filename')) return bad('EMULATOR: filename');
  if (!/^[\w.+-]+\/[\w.+-]+$/.test(headers['content-type'] ?? '')) return bad('EMULATOR: no type');
  if (bytes.length === 0) return bad('EMULATOR: no bytes');
  if (bytes.length > MAX_BYTES)
    return matrixError(413, 'M_TOO_LARGE', 'Upload request body is too large');
  return ok({ content_uri: `mxc://example.org/fake${bytes.length}` });
}

export const MAX_BYTES = 100_000;

function refresh({ json, headers }: Request, tokens: Set<string>): Reply {
  if (headers['authorization'] !== undefined) return bad('EMULATOR: there is a token');
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

const MEDIA = ['format', 'formatted_body', 'filename', 'url', 'info'];
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  'm.text': ['format', 'formatted_body'],
  'm.notice': ['format', 'formatted_body'],
  'm.location': ['geo_uri'],
  'm.image': MEDIA,
  'm.video': MEDIA,
  'm.audio': MEDIA,
  'm.file': MEDIA,
};
const ALWAYS = ['msgtype', 'body', 'm.mentions', 'm.relates_to', 'm.new_content'];

/** The fault in the content of an `m.room.message`, if any. */
function badContent(json: unknown, sent: ReadonlyMap<string, string>): Reply | undefined {
  const own = FIELDS[textMember(json, 'msgtype') ?? ''];
  if (typeof json !== 'object' || json === null || !own) return bad('msgtype');
  const unknown = Object.keys(json).find((key) => ![...ALWAYS, ...own].includes(key));
  if (unknown !== undefined) return bad(`EMULATOR: unknown key ${unknown}`);
  if (typeof member(json, 'body') !== 'string') return bad("'body' not in content");
  if (!areMentions(member(json, 'm.mentions'))) return bad('EMULATOR: m.mentions');
  if ((member(json, 'format') ?? HTML) !== HTML) return bad('format');
  if ('format' in json !== 'formatted_body' in json) return bad('format without formatted_body');
  if (own === MEDIA && !isMedia(json)) return bad('EMULATOR: url, filename or info');
  if ('geo_uri' in json && !/^geo:-?[\d.]+,-?[\d.]+$/.test(String(json.geo_uri))) {
    return bad('geo_uri');
  }
  if (Buffer.byteLength(JSON.stringify(json)) > 65_536 - ENVELOPE) {
    return matrixError(413, 'M_TOO_LARGE', 'event too large');
  }
  return badRelation(json, sent);
}

/** https://spec.matrix.org/latest/client-server-api/#user-and-room-mentions */
function areMentions(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { user_ids: ids = [], ...others } = value as { user_ids?: unknown };
  const isIds = Array.isArray(ids) && ids.every((id) => /^@[^:\s]+:\S+$/.test(String(id)));
  return isIds && Object.keys(others).length === 0;
}

function isMedia(json: object): boolean {
  const [size, type] = [member(json, 'info', 'size'), textMember(json, 'info', 'mimetype')];
  const isKnown = textMember(json, 'url') === `mxc://example.org/fake${String(size)}`;
  return isKnown && type !== undefined && textMember(json, 'filename') !== undefined;
}

const HTML = 'org.matrix.custom.html';
/** Approximate size of the fields that a homeserver adds. */
const ENVELOPE = 2000;

function badRelation(json: object, sent: ReadonlyMap<string, string>): Reply | undefined {
  const content = member(json, 'm.new_content');
  const relation = member(json, 'm.relates_to');
  const type = member(relation, 'rel_type');
  if ((type === 'm.replace') !== (content !== undefined)) return bad('m.new_content');
  if (content !== undefined && !sent.has(String(member(relation, 'event_id')))) {
    return matrixError(400, 'M_UNKNOWN', "Can't send relation to unknown event");
  }
  const ids = [member(relation, 'event_id'), member(relation, 'm.in_reply_to', 'event_id')];
  const isMalformed = ids.some((id) => id !== undefined && !String(id).startsWith('$'));
  if (isMalformed || ![undefined, 'm.thread', 'm.replace'].includes(type as undefined)) {
    return bad('m.relates_to');
  }
  return content === undefined ? undefined : badContent(content, sent);
}
