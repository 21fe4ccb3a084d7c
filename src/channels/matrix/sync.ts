import { integerMember, listMember, member, textMember } from '../../lib/member.ts';
import type { Ignored } from '../inbound.ts';
import {
  type Answered,
  type Ask,
  type Refused,
  isRefusal,
  note,
  roomsOf,
  whoami,
} from './direct.ts';
import { type MatrixSaid, type MatrixScene, readEvent, timeOf } from './events.ts';
import { writeId } from './ids.ts';

/*
 * Hears what happens in the rooms of an account, from where it was left.
 * https://spec.matrix.org/latest/client-server-api/#syncing
 */

export type MatrixArrival =
  | MatrixSaid
  | Ignored
  | { what: 'receipt'; id: string; state: 'read' }
  | { what: 'receipts'; recipient: string; upTo: number; state: 'read' };

/** How long the homeserver waits for something to tell, in milliseconds, and how much longer we do. */
const WAIT = 30_000;
const PATIENCE = 15_000;
/** Bytes of an answer. */
const MOST = 8 * 1024 * 1024;
/** How many events of a room are told at once; with fewer when they are too large. */
const LIMITS = [50, 10, 1] as const;
/** How far it is gone back for what came in the meantime, a page at a time. */
const MOST_PAGES = 20;
/** How many invitations are accepted at once. */
const MOST_INVITES = 20;
/** Of events in rooms for two: when they were. */
const MOST_TIMES = 1000;

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

export class MatrixSync<Refusal extends Refused> {
  readonly #ask: Ask<Refusal>;
  #self = '';
  #direct: object = {};
  #limit: (typeof LIMITS)[number] = LIMITS[0];
  /** Who invites us where, until it is accepted or cannot be. */
  readonly #invites = new Map<string, unknown>();
  readonly #times = new Map<string, number>();

  constructor(ask: Ask<Refusal>) {
    this.#ask = ask;
  }

  /** Tells all that comes, until the homeserver refuses. */
  async run(
    since: string | undefined,
    tell: (arrivals: MatrixArrival[], since?: string) => Promise<void>,
  ): Promise<Refusal> {
    for (let at = since; ;) {
      const news = await this.next(at);
      if (isRefusal(news)) {
        // A homeserver that was set up anew does not know where it was left.
        const isLost = news.outcome === 'permanent' && news.blame === 'content';
        if (!isLost || at === undefined) return news;
        at = undefined;
        continue;
      }
      const { arrivals, since: next } = news.value;
      // What brings nothing may come again.
      const isNews = arrivals.some(({ what }) => what !== 'ignored');
      if (isNews || at === undefined) await tell(arrivals, next);
      else if (arrivals.length > 0) await tell(arrivals);
      at = next;
    }
  }

  /** What has come since then, which may take a while. Without a beginning, nothing has: it begins now. */
  async next(
    since: string | undefined,
  ): Promise<Answered<{ arrivals: MatrixArrival[]; since: string }> | Refusal> {
    if (this.#self === '') {
      const self = await whoami(this.#ask);
      if (isRefusal(self)) return self;
      this.#self = self.value;
    }
    const synced = await this.#sync(since);
    if (isRefusal(synced)) return synced;
    const { next, json } = synced.value;
    for (const event of listMember(json, 'account_data', 'events')) this.#learn(event);
    this.#collectInvites(json);
    await this.#acceptInvites();
    const arrivals: MatrixArrival[] = [];
    for (const [room, news] of entriesOf(member(json, 'rooms', 'join'))) {
      if (since === undefined) break;
      const read = await this.#room(room, news, since);
      if (!Array.isArray(read)) return read;
      arrivals.push(...read);
    }
    return { outcome: 'answered', value: { arrivals, since: next } };
  }

  /** With fewer events at a time when they are too much to read. */
  async #sync(since: string | undefined) {
    for (;;) {
      const isFirst = since === undefined;
      const query = new URLSearchParams({
        filter: JSON.stringify(filterOf(this.#limit, isFirst)),
        set_presence: 'offline',
        // What is not accepted yet is tried again soon.
        timeout: String(isFirst || this.#invites.size > 0 ? 0 : WAIT),
        ...(since !== undefined && { since }),
      });
      let isTooLong = false;
      const tooLong = () => void (isTooLong = true);
      const more = { deadline: WAIT + PATIENCE, most: MOST, tooLong };
      const path = `sync?${query.toString()}`;
      const answer = await this.#ask('GET', path, readSync, undefined, more);
      const fewer = LIMITS.find((limit) => limit < this.#limit);
      if (!isTooLong || fewer === undefined) return answer;
      this.#limit = fewer;
    }
  }

  #learn(event: unknown): void {
    const content = member(event, 'content');
    const isDirect = textMember(event, 'type') === 'm.direct';
    if (isDirect && typeof content === 'object' && content !== null) this.#direct = content;
  }

  #collectInvites(json: unknown): void {
    for (const [room, invite] of entriesOf(member(json, 'rooms', 'invite'))) {
      const own = listMember(invite, 'invite_state', 'events').find(
        (event) =>
          textMember(event, 'type') === 'm.room.member' &&
          textMember(event, 'state_key') === this.#self,
      );
      if (this.#invites.size < MOST_INVITES) this.#invites.set(room, own);
    }
  }

  /** So that whoever wants to write to us can. https://spec.matrix.org/latest/client-server-api/#mdirect */
  async #acceptInvites(): Promise<void> {
    for (const [room, own] of this.#invites) {
      const joined = await this.#ask(
        'POST',
        `join/${encodeURIComponent(room)}`,
        (json) => json,
        {},
      );
      if (joined.outcome === 'limited' || joined.outcome === 'transient') return;
      this.#invites.delete(room);
      const inviter = textMember(own, 'sender');
      const isDirect = member(own, 'content', 'is_direct') === true;
      if (isRefusal(joined) || !isDirect || inviter === undefined) continue;
      const noted = await note(this.#self, inviter, room, this.#ask);
      if (noted) this.#direct = noted;
    }
  }

  async #room(room: string, news: unknown, since: string): Promise<MatrixArrival[] | Refusal> {
    const timeline = member(news, 'timeline');
    const events = await this.#timeline(room, timeline, since);
    if (!Array.isArray(events)) return events;
    const names = new Map<string, string>();
    for (const event of [...listMember(news, 'state', 'events'), ...events])
      learnName(event, names);
    const other = entriesOf(this.#direct).find(([user]) =>
      roomsOf(this.#direct, user).includes(room),
    )?.[0];
    const isFound = other !== undefined && roomsOf(this.#direct, other)[0] === room;
    const direct = other === undefined ? 'no' : isFound ? 'yes' : 'another';
    const scene: MatrixScene = { room, self: this.#self, names, direct };
    const told: MatrixArrival[] = events.map((event) => readEvent(event, scene));
    if (other === undefined) return told;
    for (const event of events) this.#remember(event);
    return [...told, ...this.#receipts(room, other, news)];
  }

  /** The events that are news to us, from the oldest on. */
  async #timeline(room: string, timeline: unknown, since: string): Promise<unknown[] | Refusal> {
    const events = [...listMember(timeline, 'events')];
    let from =
      member(timeline, 'limited') === true ? textMember(timeline, 'prev_batch') : undefined;
    for (let page = 0; from !== undefined && page < MOST_PAGES; page++) {
      if (startOf(events, this.#self) !== undefined) break;
      const query = new URLSearchParams({
        dir: 'b',
        from,
        to: since,
        limit: String(this.#limit),
        filter: JSON.stringify({ types: TYPES }),
      });
      const path = `rooms/${encodeURIComponent(room)}/messages?${query.toString()}`;
      const more = { most: MOST };
      const earlier = await this.#ask('GET', path, (json) => json ?? undefined, undefined, more);
      if (isRefusal(earlier)) {
        // It may have left in the meantime, or may not look back.
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
    if (this.#times.size >= MOST_TIMES && oldest !== undefined) this.#times.delete(oldest);
    this.#times.set(id, at);
  }

  /** In a room for two: what the other has read. https://spec.matrix.org/latest/client-server-api/#receipts */
  #receipts(room: string, other: string, news: unknown): MatrixArrival[] {
    const found: MatrixArrival[] = [];
    for (const event of listMember(news, 'ephemeral', 'events')) {
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
 * Where that begins which is for us, in a room that we have come to: with the invitation, since whoever invites
 * us may have written at once, or else with our coming. Undefined when we were there before all of it.
 */
function startOf(events: readonly unknown[], self: string): number | undefined {
  const isOwn = (event: unknown, membership: string) =>
    textMember(event, 'type') === 'm.room.member' &&
    textMember(event, 'state_key') === self &&
    textMember(event, 'content', 'membership') === membership;
  const came = events.findLastIndex(
    (event) => isOwn(event, 'join') && membershipBefore(event) !== 'join',
  );
  if (came === -1) return undefined;
  const invited = events.slice(0, came).findLastIndex((event) => isOwn(event, 'invite'));
  if (invited !== -1) return invited;
  // The invitation is further back.
  return membershipBefore(events[came]) === 'invite' ? undefined : came;
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
