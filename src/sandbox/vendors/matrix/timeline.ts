import { isDeepStrictEqual } from 'node:util';

import { member } from '../../../lib/json/json-member.ts';
import type { Person } from '../../simulator.ts';
import type { Reply } from '../../wire/request.ts';
import { matrixError } from './content.ts';

/* What happened in rooms, as /sync and /messages return it. https://spec.matrix.org/latest/client-server-api/#syncing */

export interface RoomChange {
  /** Grows with each change. */
  position: number;
  room: string;
  what: 'event' | 'invite' | 'receipt';
  content: Readonly<Record<string, unknown>>;
}

/** The members and events that a homeserver shows to the bot's user. */
export interface Timeline {
  /** People whose names the rooms state. */
  members: readonly Person[];
  isJoined(room: string): boolean;
  /** False if the bot is not invited. */
  join(room: string): boolean;
  /** The direct rooms by person (`m.direct`), as of these changes. */
  direct(changes: readonly RoomChange[]): object;
  setDirect(direct: unknown): void;
  /** The position at which a client without a token begins. */
  begin(): number;
  after(position: number): Promise<readonly RoomChange[]>;
  /** Waits for a change after this position, at most for this time. */
  wait(position: number, milliseconds: number): Promise<void>;
  token(position: number): string;
  /** Undefined for a token that it did not issue. */
  position(token: string): number | undefined;
}

const MAX_WAIT_MS = 30_000;
/** The other parts of our filter; rooms are filtered below. */
const FILTER = { presence: { types: [] }, account_data: { types: ['m.direct'] } };

const ok = (body: object): Reply => ({ status: 200, body });
const bad = (error: string) => matrixError(400, 'M_BAD_JSON', `SIMULATOR: ${error}`);

export async function sync(
  timeline: Timeline,
  self: string,
  query: URLSearchParams,
): Promise<Reply> {
  const filter = jsonIn(query.get('filter'));
  if (!isDeepStrictEqual({ ...Object(filter), room: 0 }, { ...FILTER, room: 0 })) {
    return bad('filter');
  }
  if (query.get('set_presence') !== 'offline') return bad('presence');
  const given = query.get('since');
  if (given === null) {
    const end = timeline.begin();
    const earlier = await timeline.after(0);
    const changes = earlier.filter(({ position }) => position <= end);
    return ok(await synced(timeline, self, changes, { since: 0, end, filter }));
  }
  const since = timeline.position(given);
  if (since === undefined) return matrixError(400, 'M_UNKNOWN', 'Invalid stream token');
  await timeline.wait(since, Math.min(Number(query.get('timeout') ?? 0), MAX_WAIT_MS));
  const changes = await timeline.after(since);
  const end = changes.at(-1)?.position ?? since;
  return ok(await synced(timeline, self, changes, { since, end, filter }));
}

interface Span {
  since: number;
  end: number;
  filter: unknown;
}

async function synced(
  timeline: Timeline,
  self: string,
  changes: readonly RoomChange[],
  { since, end, filter }: Span,
): Promise<object> {
  const wanted = member(filter, 'room', 'timeline');
  const join: Record<string, object> = {};
  const invite: Record<string, object> = {};
  for (const room of new Set(changes.map((each) => each.room))) {
    const own = changes.filter((each) => each.room === room);
    if (!timeline.isJoined(room)) {
      const invitations = own.filter(({ what }) => what === 'invite');
      const events = invitations.slice(-1).map(({ content }) => content);
      if (events.length > 0) invite[room] = { invite_state: { events } };
      continue;
    }
    // For a room that the bot has just joined, earlier events are new too.
    const hasJoined = own.some(({ content }) => content['state_key'] === self);
    const all = hasJoined ? await timeline.after(0) : changes;
    const events = eventsIn(all, room, wanted).filter(({ position }) => position <= end);
    const kept = events.slice(-Number(member(wanted, 'limit')));
    join[room] = {
      timeline: {
        events: kept.map(({ content }) => content),
        limited: kept.length < events.length,
        prev_batch: `t${kept[0]?.position ?? since + 1}`,
      },
      state: { events: timeline.members.filter(({ isRoom }) => !isRoom).map(membershipOf) },
      ephemeral: {
        events: own.filter(({ what }) => what === 'receipt').map(({ content }) => content),
      },
    };
  }
  return {
    next_batch: timeline.token(end),
    account_data: { events: [{ type: 'm.direct', content: timeline.direct(changes) }] },
    rooms: { join, invite },
  };
}

/** The events before those of a limited timeline, newest first. */
export async function messages(
  timeline: Timeline,
  room: string,
  query: URLSearchParams,
): Promise<Reply> {
  if (!timeline.isJoined(room)) return matrixError(403, 'M_FORBIDDEN', 'not in room');
  const from = Number(/^t(\d{1,15})$/.exec(query.get('from') ?? '')?.[1]);
  const to = timeline.position(query.get('to') ?? '');
  const limit = Number(query.get('limit'));
  if (query.get('dir') !== 'b' || Number.isNaN(from) || to === undefined || !(limit > 0)) {
    return matrixError(400, 'M_INVALID_PARAM', 'SIMULATOR: messages');
  }
  const changes = await timeline.after(to);
  const found = eventsIn(changes, room, jsonIn(query.get('filter')));
  const chunk = found.filter(({ position }) => position < from).slice(-limit);
  const [first] = chunk;
  return ok({
    chunk: chunk.map(({ content }) => content).toReversed(),
    start: query.get('from'),
    ...(first && { end: `t${first.position}` }),
  });
}

function eventsIn(changes: readonly RoomChange[], room: string, filter: unknown): RoomChange[] {
  const types = member(filter, 'types');
  return changes.filter(
    (each) =>
      each.what === 'event' &&
      each.room === room &&
      Array.isArray(types) &&
      types.includes(each.content['type']),
  );
}

const membershipOf = ({ address, name }: Person) => ({
  type: 'm.room.member',
  state_key: address,
  content: { membership: 'join', displayname: name },
});

function jsonIn(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '{}');
  } catch {
    return undefined;
  }
}
