import { integerMember, listMember, member, textMember } from '../../lib/json/json-member.ts';
import { type Failure, isFailure } from '../channel.ts';
import type { Ignored } from '../inbound.ts';
import {
  type ParsedResponse,
  MAX_LIST_BYTES,
  type MatrixCall,
  note,
  roomsOf,
  whoami,
} from './direct.ts';
import { type MatrixUserEvent, type MatrixScene, readEvent, timeOf } from './events.ts';
import { writeId } from './ids.ts';

/*
 * Follows the rooms of an account from the stored position. https://spec.matrix.org/latest/client-server-api/#syncing
 */

type MatrixInboundEvent =
  | MatrixUserEvent
  | Ignored
  | { what: 'receipt'; id: string; state: 'read' }
  | { what: 'receipts'; recipient: string; upTo: number; state: 'read' };

/** Milliseconds that the homeserver waits for events, and our additional tolerance. */
const SYNC_WAIT_MS = 30_000;
const SYNC_TOLERANCE_MS = 15_000;
/** Maximum number of events per room in a response; the next lower one is used when the response is too large. */
const LIMITS = [50, 10, 1] as const;
/** Maximum number of pages to go back for missed events. */
const MAX_PAGES = 20;
/** Maximum number of invitations accepted at once. */
const MAX_INVITES_AT_ONCE = 20;
/** Maximum number of event times kept, for direct rooms. */
const MAX_EVENT_TIMES = 1000;

const TYPES = [
  'm.room.message',
  'm.room.encrypted',
  'm.sticker',
  'm.room.redaction',
  'm.room.member',
];

const filterOf = (limit: number, isFirst: boolean) => {
  const types = isFirst ? [] : TYPES;
  return {
    presence: { types: [] },
    account_data: { types: ['m.direct'] },
    room: {
      account_data: { types: [] },
      ephemeral: { types: isFirst ? [] : ['m.receipt'] },
      timeline: { limit, types },
      state: {
        types: isFirst ? [] : ['m.room.member'],
        lazy_load_members: true,
        include_redundant_members: true,
      },
    },
  };
};

function readSync(json: unknown): { next: string; json: unknown } | undefined {
  const next = textMember(json, 'next_batch');
  return next === undefined ? undefined : { next, json };
}

export class MatrixSync {
  readonly #call: MatrixCall;
  readonly #connected: () => void;
  #self = '';
  #direct: object = {};
  #limit: (typeof LIMITS)[number] = LIMITS[0];
  /** Pending invitations by room, with their sender. */
  readonly #invites = new Map<string, unknown>();
  readonly #times = new Map<string, number>();

  constructor(call: MatrixCall, connected: () => void) {
    this.#call = call;
    this.#connected = connected;
  }

  /** Emits inbound events until the homeserver refuses. */
  async run(
    since: string | undefined,
    emit: (inboundEvents: MatrixInboundEvent[], since?: string) => Promise<void>,
  ): Promise<Failure> {
    for (let at = since; ;) {
      const batch = await this.next(at);
      if (isFailure(batch)) {
        // A homeserver that was set up anew does not know the position.
        const isLost = batch.outcome === 'permanent' && batch.blame === 'content';
        if (!isLost || at === undefined) return batch;
        at = undefined;
        continue;
      }
      const { inboundEvents, since: next } = batch.value;
      // A batch without events may be read again, so its position is not stored.
      const hasEvents = inboundEvents.some(({ what }) => what !== 'ignored');
      if (hasEvents || at === undefined) await emit(inboundEvents, next);
      else if (inboundEvents.length > 0) await emit(inboundEvents);
      at = next;
    }
  }

  /** The events since the position; waits for the next ones. Without a position, starts from now. */
  async next(
    since: string | undefined,
  ): Promise<ParsedResponse<{ inboundEvents: MatrixInboundEvent[]; since: string }> | Failure> {
    if (this.#self === '') {
      const self = await whoami(this.#call);
      if (isFailure(self)) return self;
      this.#self = self.value;
    }
    const synced = await this.#sync(since);
    if (isFailure(synced)) return synced;
    this.#connected();
    const { next, json } = synced.value;
    for (const event of listMember(json, 'account_data', 'events')) this.#readDirectRooms(event);
    this.#collectInvites(json);
    await this.#acceptInvites();
    const inboundEvents: MatrixInboundEvent[] = [];
    const others = this.#usersByRoom();
    for (const [room, batch] of entriesOf(member(json, 'rooms', 'join'))) {
      if (since === undefined) break;
      const read = await this.#room(room, others.get(room), batch, since);
      if (!Array.isArray(read)) return read;
      inboundEvents.push(...read);
    }
    return { outcome: 'answered', value: { inboundEvents, since: next } };
  }

  /** Repeats the request with fewer events when the response is too large. */
  async #sync(since: string | undefined) {
    for (;;) {
      const isFirst = since === undefined;
      const query = new URLSearchParams({
        filter: JSON.stringify(filterOf(this.#limit, isFirst)),
        set_presence: 'offline',
        // Does not wait while invitations are pending, so that they are retried soon.
        timeout: String(isFirst || this.#invites.size > 0 ? 0 : SYNC_WAIT_MS),
        ...(since !== undefined && { since }),
      });
      let isTooLong = false;
      const tooLong = () => void (isTooLong = true);
      const more = {
        deadline: SYNC_WAIT_MS + SYNC_TOLERANCE_MS,
        maxBytes: MAX_LIST_BYTES,
        tooLong,
      };
      const path = `sync?${query.toString()}`;
      const answer = await this.#call('GET', path, readSync, undefined, more);
      const fewer = LIMITS.find((limit) => limit < this.#limit);
      if (!isTooLong || fewer === undefined) return answer;
      this.#limit = fewer;
    }
  }

  #readDirectRooms(event: unknown): void {
    const content = member(event, 'content');
    const isDirect = textMember(event, 'type') === 'm.direct';
    if (isDirect && typeof content === 'object' && content !== null) this.#direct = content;
  }

  #collectInvites(json: unknown): void {
    for (const [room, invite] of entriesOf(member(json, 'rooms', 'invite'))) {
      const invitation = listMember(invite, 'invite_state', 'events').find(
        (event) =>
          textMember(event, 'type') === 'm.room.member' &&
          textMember(event, 'state_key') === this.#self,
      );
      if (this.#invites.size < MAX_INVITES_AT_ONCE) this.#invites.set(room, invitation);
    }
  }

  /** Accepts invitations, so that users can write to us. https://spec.matrix.org/latest/client-server-api/#mdirect */
  async #acceptInvites(): Promise<void> {
    for (const [room, invitation] of this.#invites) {
      const joined = await this.#call(
        'POST',
        `join/${encodeURIComponent(room)}`,
        (json) => json,
        {},
      );
      if (joined.outcome === 'limited' || joined.outcome === 'transient') return;
      this.#invites.delete(room);
      const inviter = textMember(invitation, 'sender');
      const isDirect = member(invitation, 'content', 'is_direct') === true;
      if (isFailure(joined) || !isDirect || inviter === undefined) continue;
      const noted = await note(this.#self, inviter, room, this.#call);
      if (noted) this.#direct = noted;
    }
  }

  /** The other user of each direct room. */
  #usersByRoom(): Map<string, string> {
    const rooms = Object.keys(this.#direct).flatMap((user) =>
      roomsOf(this.#direct, user).map((room) => [room, user] as const),
    );
    // Reversed, since a room belongs to the first user that names it.
    return new Map(rooms.toReversed());
  }

  async #room(
    room: string,
    other: string | undefined,
    batch: unknown,
    since: string,
  ): Promise<MatrixInboundEvent[] | Failure> {
    const timeline = member(batch, 'timeline');
    const events = await this.#timeline(room, timeline, since);
    if (!Array.isArray(events)) return events;
    const names = new Map<string, string>();
    for (const event of [...listMember(batch, 'state', 'events'), ...events])
      learnName(event, names);
    const isFirstRoom = other !== undefined && roomsOf(this.#direct, other)[0] === room;
    const direct = other === undefined ? 'no' : isFirstRoom ? 'primary' : 'secondary';
    const scene: MatrixScene = { room, self: this.#self, names, direct };
    const roomEvents: MatrixInboundEvent[] = events.map((event) => readEvent(event, scene));
    if (other === undefined) return roomEvents;
    for (const event of events) this.#remember(event);
    return [...roomEvents, ...this.#receipts(room, other, batch)];
  }

  /** The new events, oldest first. */
  async #timeline(room: string, timeline: unknown, since: string): Promise<unknown[] | Failure> {
    const events = [...listMember(timeline, 'events')];
    let from =
      member(timeline, 'limited') === true ? textMember(timeline, 'prev_batch') : undefined;
    for (let page = 0; from !== undefined && page < MAX_PAGES; page++) {
      if (startOf(events, this.#self) !== undefined) break;
      const query = new URLSearchParams({
        dir: 'b',
        from,
        to: since,
        limit: String(this.#limit),
        filter: JSON.stringify({ types: TYPES }),
      });
      const path = `rooms/${encodeURIComponent(room)}/messages?${query.toString()}`;
      const more = { maxBytes: MAX_LIST_BYTES };
      const earlier = await this.#call('GET', path, (json) => json ?? undefined, undefined, more);
      if (isFailure(earlier)) {
        // The bot may have left in the meantime, or may not read the history.
        if (earlier.outcome === 'permanent') break;
        return earlier;
      }
      const chunk = listMember(earlier.value, 'chunk');
      events.unshift(...chunk.toReversed());
      from = chunk.length > 0 ? textMember(earlier.value, 'end') : undefined;
    }
    return events.slice(startOf(events, this.#self) ?? 0);
  }

  #remember(event: unknown): void {
    const id = textMember(event, 'event_id');
    const { at } = timeOf(event);
    if (id === undefined || at === undefined) return;
    const [oldest] = this.#times.keys();
    if (this.#times.size >= MAX_EVENT_TIMES && oldest !== undefined) this.#times.delete(oldest);
    this.#times.set(id, at);
  }

  /** Read receipts of the other user in a direct room. https://spec.matrix.org/latest/client-server-api/#receipts */
  #receipts(room: string, other: string, batch: unknown): MatrixInboundEvent[] {
    const found: MatrixInboundEvent[] = [];
    for (const event of listMember(batch, 'ephemeral', 'events')) {
      if (textMember(event, 'type') !== 'm.receipt') continue;
      for (const [id, kinds] of entriesOf(member(event, 'content'))) {
        if (integerMember(kinds, 'm.read', other, 'ts') === undefined) continue;
        found.push({ what: 'receipt', id: writeId(room, id), state: 'read' });
        const upTo = this.#times.get(id);
        if (upTo === undefined) continue;
        for (const recipient of [room, other]) {
          found.push({ what: 'receipts', recipient, upTo, state: 'read' });
        }
      }
    }
    return found;
  }
}

/**
 * The index of the first event for us in a newly joined room: our invitation, since the inviting user may have
 * written at once, or else our join. Undefined when we joined before all of them.
 */
function startOf(events: readonly unknown[], self: string): number | undefined {
  const isOwn = (event: unknown, membership: string) =>
    textMember(event, 'type') === 'm.room.member' &&
    textMember(event, 'state_key') === self &&
    textMember(event, 'content', 'membership') === membership;
  const joined = events.findLastIndex(
    (event) => isOwn(event, 'join') && membershipBefore(event) !== 'join',
  );
  if (joined === -1) return undefined;
  const invited = events.slice(0, joined).findLastIndex((event) => isOwn(event, 'invite'));
  if (invited !== -1) return invited;
  // The invitation is further back.
  return membershipBefore(events[joined]) === 'invite' ? undefined : joined;
}

const membershipBefore = (event: unknown) =>
  textMember(event, 'unsigned', 'prev_content', 'membership');

function learnName(event: unknown, names: Map<string, string>): void {
  if (textMember(event, 'type') !== 'm.room.member') return;
  const user = textMember(event, 'state_key');
  const name = textMember(event, 'content', 'displayname');
  if (user !== undefined && name) names.set(user, name);
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
