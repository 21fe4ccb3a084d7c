import { isDeepStrictEqual } from 'node:util';

import { member } from '../../../src/lib/json/json-member.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from '../server/http.ts';
import { SELF, TOKEN, matrixError } from './api.ts';

/*
 * A homeserver with /sync. Strict: it accepts only the requests that we make.
 * https://spec.matrix.org/latest/client-server-api/#syncing
 */

export interface Homeserver extends HttpPeer, AsyncDisposable {
  /** Adds an event to a room; returns its id. */
  addEvent(room: string, event: object): string;
  invites(room: string, by: string, isDirect: boolean): void;
  /** Adds a read receipt. */
  reads(room: string, user: string, event: string): void;
  /** Makes all earlier cursors unknown. */
  forget(): void;
}

interface SyncEvent {
  room: string;
  what: 'event' | 'invite' | 'receipt' | 'direct';
  content: Record<string, unknown>;
}

const FILTER = { presence: { types: [] }, account_data: { types: ['m.direct'] } };
const ok = (body: object): Reply => ({ status: 200, body });

export async function openHomeserver(joined: readonly string[]): Promise<Homeserver> {
  const rooms = new Set(joined);
  let log: SyncEvent[] = [];
  let generation = 1;
  let direct: object = {};
  let last = 0;
  let waiting: (() => void)[] = [];
  const add = (room: string, what: SyncEvent['what'], content: Record<string, unknown>) => {
    log.push({ room, what, content });
    for (const wake of waiting.splice(0)) wake();
  };
  const addEvent = (room: string, event: object) => {
    const event_id = `$event-${++last}`;
    add(room, 'event', { event_id, origin_server_ts: 1_000_000 + last, ...event });
    return event_id;
  };
  const membership = (room: string, now: string, before?: string, sender = SELF) =>
    addEvent(room, {
      type: 'm.room.member',
      sender,
      state_key: SELF,
      content: { membership: now },
      ...(before !== undefined && { unsigned: { prev_content: { membership: before } } }),
    });

  const sync = async (query: URLSearchParams): Promise<Reply> => {
    const filter: unknown = JSON.parse(query.get('filter') ?? '{}');
    const isKnown = isDeepStrictEqual({ ...(filter as object), room: 0 }, { ...FILTER, room: 0 });
    if (!isKnown) return matrixError(400, 'M_BAD_JSON', 'EMULATOR: filter');
    if (query.get('set_presence') !== 'offline') return matrixError(400, 'M_BAD_JSON', 'presence');
    const [, made, position] = /^s(\d+)_(\d+)$/.exec(query.get('since') ?? 's0_0') ?? [];
    const isFirst = !query.has('since');
    if (!isFirst && Number(made) !== generation) {
      return matrixError(400, 'M_UNKNOWN', 'Invalid stream token');
    }
    const since = isFirst ? 0 : Number(position);
    if (log.length === since && Number(query.get('timeout')) > 0) {
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    return ok(
      changesSince(log, since, isFirst, filter, rooms, direct, `s${generation}_${log.length}`),
    );
  };

  const messages = (room: string, query: URLSearchParams): Reply => {
    if (!rooms.has(room)) return matrixError(403, 'M_FORBIDDEN', 'not in room');
    const from = Number(/^t(\d+)$/.exec(query.get('from') ?? '')?.[1]);
    const to = Number(/_(\d+)$/.exec(query.get('to') ?? '')?.[1]);
    const limit = Number(query.get('limit'));
    if (query.get('dir') !== 'b' || Number.isNaN(from + to) || !(limit > 0)) {
      return matrixError(400, 'M_INVALID_PARAM', 'EMULATOR: messages');
    }
    const found = eventsIn(log, room, to, from, JSON.parse(query.get('filter') ?? '{}'));
    const chunk = found.slice(-limit);
    const end = chunk[0]?.position;
    return ok({
      chunk: chunk.map(({ content }) => content).toReversed(),
      start: query.get('from'),
      ...(end !== undefined && { end: `t${end}` }),
    });
  };

  const answer = (request: Request): Reply | Promise<Reply> => {
    const url = new URL(request.path, 'http://localhost');
    if (request.headers['authorization'] !== `Bearer ${TOKEN}`) {
      return matrixError(401, 'M_UNKNOWN_TOKEN', 'Invalid access token');
    }
    const path = decodeURIComponent(url.pathname.replace(/^\/_matrix\/client\/v3\//, ''));
    const [, toJoin = ''] = /^join\/(.+)$/.exec(path) ?? [];
    const [, looked = ''] = /^rooms\/(.+)\/messages$/.exec(path) ?? [];
    const isDirect = path === `user/${SELF}/account_data/m.direct`;
    if (path === 'account/whoami') return ok({ user_id: SELF });
    if (path === 'sync' && request.method === 'GET') return sync(url.searchParams);
    if (looked !== '' && request.method === 'GET') return messages(looked, url.searchParams);
    if (isDirect && request.method === 'GET') return ok(direct);
    if (isDirect && request.method === 'PUT') {
      direct = request.json as object;
      add('', 'direct', {});
      return ok({});
    }
    if (toJoin !== '' && request.method === 'POST') {
      if (!log.some(({ room, what }) => room === toJoin && what === 'invite')) {
        return matrixError(403, 'M_FORBIDDEN', 'not invited');
      }
      rooms.add(toJoin);
      membership(toJoin, 'join', 'invite');
      return ok({ room_id: toJoin });
    }
    return matrixError(404, 'M_UNRECOGNIZED', 'Unrecognized request');
  };
  const peer = await openHttp(answer);
  const close = async () => {
    for (const wake of waiting) wake();
    waiting = [];
    await peer.close();
  };
  return {
    url: peer.url,
    seen: peer.seen,
    next: (reply) => peer.next(reply),
    close,
    addEvent,
    invites(room, by, isDirect) {
      membership(room, 'invite', undefined, by);
      const content = { membership: 'invite', ...(isDirect && { is_direct: true }) };
      add(room, 'invite', { type: 'm.room.member', sender: by, state_key: SELF, content });
    },
    reads(room, user, event) {
      const content = { [event]: { 'm.read': { [user]: { ts: 1_500_000_000_000 } } } };
      add(room, 'receipt', { type: 'm.receipt', content });
    },
    forget() {
      log = [];
      generation++;
    },
    [Symbol.asyncDispose]: close,
  };
}

function eventsIn(
  log: readonly SyncEvent[],
  room: string,
  after: number,
  before: number,
  filter: unknown,
) {
  const types = member(filter, 'types');
  return log
    .map((each, position) => ({ ...each, position }))
    .slice(after, before)
    .filter((each) => each.what === 'event' && each.room === room)
    .filter(({ content }) => Array.isArray(types) && types.includes(content['type']));
}

function changesSince(
  log: readonly SyncEvent[],
  since: number,
  isFirst: boolean,
  filter: unknown,
  rooms: ReadonlySet<string>,
  direct: object,
  next: string,
): object {
  const changes = log.slice(since);
  const join: Record<string, object> = {};
  for (const room of rooms) {
    const own = changes.filter((each) => each.room === room);
    if (own.length === 0 && !isFirst) continue;
    const wanted = member(filter, 'room', 'timeline');
    // For a newly joined room, all earlier events are new too.
    const hasCome = own.some(({ content }) => content['state_key'] === SELF);
    const events = eventsIn(log, room, isFirst || hasCome ? 0 : since, log.length, wanted);
    const kept = events.slice(-Number(member(wanted, 'limit')));
    const limited = kept.length < events.length;
    join[room] = {
      timeline: {
        events: kept.map(({ content }) => content),
        limited,
        prev_batch: `t${kept[0]?.position ?? log.length}`,
      },
      state: {
        events: [
          {
            type: 'm.room.member',
            state_key: '@ada:example.org',
            content: { membership: 'join', displayname: 'Ada' },
          },
        ],
      },
      ephemeral: {
        events: own.filter(({ what }) => what === 'receipt').map(({ content }) => content),
      },
    };
  }
  const invited = changes.filter(({ what, room }) => what === 'invite' && !rooms.has(room));
  const hasDirect = isFirst || changes.some(({ what }) => what === 'direct');
  return {
    next_batch: next,
    account_data: { events: hasDirect ? [{ type: 'm.direct', content: direct }] : [] },
    rooms: {
      join,
      invite: Object.fromEntries(
        invited.map(({ room, content }) => [room, { invite_state: { events: [content] } }]),
      ),
    },
  };
}
