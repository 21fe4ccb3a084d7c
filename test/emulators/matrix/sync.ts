import { respondAs } from '../../../src/sandbox/vendors/matrix/homeserver.ts';
import type { RoomChange, Timeline } from '../../../src/sandbox/vendors/matrix/timeline.ts';
import { type HttpPeer, openHttp } from '../server/http.ts';
import { MemoryPhone } from '../server/memory-phone.ts';
import { ADA, SELF, TOKEN } from './api.ts';

/* The simulated homeserver, with rooms whose events a test writes. */

export interface Homeserver extends HttpPeer, AsyncDisposable {
  /** Adds an event to a room; returns its id. */
  addEvent(room: string, event: object): string;
  invites(room: string, by: string, isDirect: boolean): void;
  /** Adds a read receipt. */
  reads(room: string, user: string, event: string): void;
  /** Makes all earlier tokens unknown. */
  forget(): void;
}

export async function openHomeserver(joined: readonly string[]): Promise<Homeserver> {
  const rooms = new Set(joined);
  let log: RoomChange[] = [];
  let generation = 1;
  let direct: object = {};
  let last = 0;
  const waiting = new Set<() => void>();
  const wakeAll = () => {
    for (const wake of waiting) wake();
    waiting.clear();
  };
  const add = (room: string, what: RoomChange['what'], content: RoomChange['content']) => {
    log.push({ position: log.length + 1, room, what, content });
    wakeAll();
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
  const timeline: Timeline = {
    members: [{ address: ADA, name: 'Ada' }],
    isJoined: (room) => rooms.has(room),
    join(room) {
      const isInvited = log.some((each) => each.room === room && each.what === 'invite');
      if (!isInvited) return false;
      rooms.add(room);
      membership(room, 'join', 'invite');
      return true;
    },
    direct: () => direct,
    setDirect(json) {
      direct = Object(json);
    },
    begin: () => log.length,
    after: async (position) => log.slice(position),
    async wait(position, milliseconds) {
      if (log.length > position || milliseconds === 0) return;
      await new Promise<void>((resolve) => waiting.add(resolve));
    },
    token: (position) => `s${generation}_${position}`,
    position(token) {
      const [, made, position] = /^s(\d+)_(\d+)$/.exec(token) ?? [];
      return Number(made) === generation ? Number(position) : undefined;
    },
  };
  const home = {
    name: 'example.org',
    self: SELF,
    isToken: (token: string) => token === TOKEN,
    people: timeline.members,
    maxFileBytes: 1,
    timeline,
  };
  const phone = new MemoryPhone();
  const peer = await openHttp((request) => respondAs(home, request, phone));
  const close = async () => {
    wakeAll();
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
