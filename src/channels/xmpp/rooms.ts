import type { Element, Xml } from '@xmpp/client';

import { bareOf, resourceOf } from './jid.ts';
import type { XmppStream } from './stream.ts';

/* The rooms that a session has joined. https://xmpp.org/extensions/xep-0045.html#enter */

const MUC = 'http://jabber.org/protocol/muc';
const USER = 'http://jabber.org/protocol/muc#user';
const MAX_NICKS = 5;
/** Maximum number of joined rooms; beyond that, the session leaves the one joined first. */
const MAX_JOINED_ROOMS = 100;
/** Maximum number of addresses cached as room or user. */
const MAX_CACHED_ADDRESSES = 1000;
/** Maximum number of tracked occupants per room. Joins and leaves of others are not reported. */
const MAX_OCCUPANTS = 1000;

/** Somebody joined or left a room. */
interface XmppMembership {
  what: 'join' | 'leave';
  from: { id: string; name: string };
  group: { id: string };
}

interface Entry {
  nick: string;
  joined: boolean;
  attempts: number;
  /** The other occupants. */
  occupants: Set<string>;
  settle(refusal: Element | undefined): void;
  done: Promise<Element | undefined>;
}

export class XmppRooms {
  readonly #xml: Xml;
  readonly #stream: XmppStream;
  readonly #nick: string;
  readonly #entries = new Map<string, Entry>();
  readonly #roomCache = new Map<string, boolean>();

  constructor(xml: Xml, stream: XmppStream, nick: string) {
    this.#xml = xml;
    this.#stream = stream;
    this.#nick = nick;
  }

  /** Undefined when not queried yet. */
  isRoom(bare: string): boolean | undefined {
    return this.#entries.has(keyOf(bare)) || this.#roomCache.get(keyOf(bare));
  }

  cacheKind(bare: string, isRoom: boolean): void {
    const [oldest] = this.#roomCache.keys();
    if (this.#roomCache.size >= MAX_CACHED_ADDRESSES && oldest !== undefined)
      this.#roomCache.delete(oldest);
    this.#roomCache.set(keyOf(bare), isRoom);
  }

  /** Joins a room, unless already joined. Returns the error if the room refuses. */
  join(room: string): Promise<Element | undefined> {
    const key = keyOf(room);
    const before = this.#entries.get(key);
    if (before) return before.done;
    const { promise, resolve } = Promise.withResolvers<Element | undefined>();
    const entry = {
      nick: this.#nick,
      joined: false,
      attempts: 1,
      occupants: new Set<string>(),
      settle: resolve,
      done: promise,
    };
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= MAX_JOINED_ROOMS && oldest !== undefined) this.#leave(oldest);
    this.#entries.set(key, entry);
    this.#enter(key, entry.nick);
    return promise;
  }

  /** Our address in a joined room. */
  selfIn(room: string): string | undefined {
    const entry = this.#entries.get(keyOf(room));
    return entry && `${room}/${entry.nick}`;
  }

  isSelf(jid: string): boolean {
    const room = bareOf(jid);
    const nick = resourceOf(jid);
    return nick !== undefined && this.#entries.get(keyOf(room))?.nick === nick;
  }

  forget(room: string): void {
    this.#entries.delete(keyOf(room));
  }

  /** Processes a join, a leave or a refusal; returns joins and leaves of others while we are in the room. */
  readPresence(presence: Element): XmppMembership | undefined {
    const { from = '', type } = presence.attrs;
    const nick = resourceOf(from);
    const key = keyOf(bareOf(from));
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    const codes = presence.getChild('x', USER)?.getChildren('status') ?? [];
    const isSelf = codes.some(({ attrs }) => attrs['code'] === '110') || nick === entry.nick;
    if (type === 'error' && !entry.joined) this.#refused(key, entry, presence);
    else if (type === 'unavailable' && isSelf) this.#entries.delete(key);
    else if (type === undefined && isSelf && !entry.joined) {
      entry.joined = true;
      // The room may have assigned another nick.
      entry.nick = nick ?? entry.nick;
      entry.settle(undefined);
    } else if (nick !== undefined && !isSelf) return membershipOf(entry, presence, nick);
    return undefined;
  }

  #refused(key: string, entry: Entry, presence: Element): void {
    const isTaken = presence.getChild('error')?.getChild('conflict') !== undefined;
    if (isTaken && entry.attempts++ < MAX_NICKS) {
      entry.nick += '_';
      this.#enter(key, entry.nick);
      return;
    }
    this.#entries.delete(key);
    entry.settle(presence);
  }

  #enter(room: string, nick: string): void {
    // Requests no history.
    const history = this.#xml('history', { maxstanzas: '0' });
    const x = this.#xml('x', { xmlns: MUC }, history);
    this.#stream.send(this.#xml('presence', { to: `${room}/${nick}` }, x));
  }

  #leave(room: string): void {
    const nick = this.#entries.get(room)?.nick ?? '';
    this.#entries.delete(room);
    this.#stream.send(this.#xml('presence', { to: `${room}/${nick}`, type: 'unavailable' }));
  }
}

/** A copy: a slice would keep the whole received string in memory. */
const copy = (text: string) => Buffer.from(text).toString();
const keyOf = (bare: string) => copy(bare.toLowerCase());

/** https://xmpp.org/extensions/xep-0045.html#changenick */
function nextNick(presence: Element): string | undefined {
  const x = presence.getChild('x', USER);
  const isChange = x?.getChildren('status').some(({ attrs }) => attrs['code'] === '303');
  return isChange ? x?.getChild('item')?.attrs['nick'] : undefined;
}

function membershipOf(
  { joined, occupants }: Entry,
  presence: Element,
  nick: string,
): XmppMembership | undefined {
  const { from = '', type } = presence.attrs;
  const identity = { from: { id: from, name: nick }, group: { id: bareOf(from) } };
  if (type === 'unavailable') {
    const wasPresent = occupants.delete(nick);
    // A change of nick looks like a leave and a join.
    const next = nextNick(presence);
    if (wasPresent && next !== undefined) occupants.add(copy(next));
    return wasPresent && next === undefined && joined ? { what: 'leave', ...identity } : undefined;
  }
  const isNew = type === undefined && !occupants.has(nick) && occupants.size < MAX_OCCUPANTS;
  if (isNew) occupants.add(copy(nick));
  return isNew && joined ? { what: 'join', ...identity } : undefined;
}
