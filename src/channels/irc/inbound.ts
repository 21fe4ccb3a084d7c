import { randomUUID } from 'node:crypto';

import { type Ignored, ignored } from '../inbound.ts';
import { type IrcLine, foldName } from './line.ts';

/*
 * Parses messages and other events on IRC: direct ones, and those in joined channels.
 * https://modern.ircdocs.horse/#privmsg-message
 */

interface IrcEvent {
  key: string;
  at?: number;
  from: { id: string };
  /** The channel; undefined for a direct message. */
  group?: { id: string };
}

export type IrcInbound =
  | ({ what: 'message'; text: string; id?: string } & IrcEvent)
  | ({ what: 'join' | 'leave' } & IrcEvent)
  | Ignored;

/** Across all channels. Beyond that, members who leave the network are not reported. */
const MAX_MEMBERS = 10_000;
const MAX_NAME_LENGTH = 200;

/** Other actions of users. All remaining lines are between the server and us. */
const OTHERS = new Set(['INVITE', 'TOPIC', 'TAGMSG', 'WALLOPS']);

/** Parses the lines of one connection. It must receive all of them, to track the members of channels. */
export class IrcReader {
  /** Generates keys for lines without a server id. */
  readonly #connection = randomUUID();
  #lines = 0;
  readonly #channels = new Map<string, { name: string; members: Set<string> }>();

  /** Parses a line received under the nick `self`. */
  readLine(line: IrcLine, self: string): IrcInbound[] {
    const { from, command, params } = line;
    const [first = '', second = ''] = params;
    const isOurs = foldName(from) === foldName(self);
    switch (command) {
      case 'PRIVMSG':
        if (isOurs) return ignored(command, 'own');
        return isPerson(from) ? this.#message(line, self) : ignored(command, 'bot');
      // Sent by programs, and must never be answered: https://modern.ircdocs.horse/#notice-message
      case 'NOTICE':
        return isOurs ? ignored(command, 'own') : ignored(command, 'bot');
      case 'JOIN':
        this.#enter(first, isOurs ? undefined : from);
        return isOurs ? [] : this.#membership('join', line, from, [first]);
      case 'PART':
        return this.#left(line, from, first, isOurs);
      case 'KICK':
        return this.#left(line, second, first, foldName(second) === foldName(self));
      case 'QUIT':
        return isOurs ? [] : this.#membership('leave', line, from, this.#channelsOf(from));
      case 'NICK':
        this.#rename(from, first);
        return isOurs ? [] : ignored(command, 'no_event');
      // Channel members: the third parameter is the channel, the fourth the list.
      case '353':
        for (const name of (params[3] ?? '').split(' ')) this.#enter(params[2] ?? '', bare(name));
        return [];
      default:
        return OTHERS.has(command) ? ignored(command, 'no_event') : [];
    }
  }

  #message(line: IrcLine, self: string): IrcInbound[] {
    const [target = '', raw = ''] = line.params;
    // Addressed to members with a rank in the channel, including us.
    const channel = /^[~&@%+]*([#&+!].*)$/.exec(target)?.[1];
    if (channel === undefined && foldName(target) !== foldName(self)) {
      return ignored('PRIVMSG', 'elsewhere');
    }
    const text = textOf(raw);
    if (text === '') {
      return raw.startsWith(CTCP) ? ignored('CTCP', 'bot') : ignored('PRIVMSG', 'no_content');
    }
    const id = line.tags.get('msgid');
    return [
      {
        what: 'message',
        ...this.#common(line),
        from: { id: copy(line.from) },
        ...(channel !== undefined && { group: { id: this.#nameOf(channel) } }),
        ...(id && { id: copy(id) }),
        text: copy(text),
      },
    ];
  }

  #left(line: IrcLine, who: string, channel: string, isOurs: boolean): IrcInbound[] {
    if (isOurs) this.#channels.delete(foldName(channel));
    const events = isOurs ? [] : this.#membership('leave', line, who, [channel]);
    this.#forget(channel, who);
    return events;
  }

  #membership(
    what: 'join' | 'leave',
    line: IrcLine,
    who: string,
    channels: readonly string[],
  ): IrcInbound[] {
    if (!isPerson(who)) return [];
    const { key, ...common } = this.#common(line);
    return channels.map((channel) => {
      if (line.command === 'QUIT') this.#forget(channel, who);
      const group = { id: this.#nameOf(channel) };
      return { what, key: `${key} ${group.id}`, ...common, from: { id: copy(who) }, group };
    });
  }

  /** Lines without a server id are never repeated. */
  #common({ tags }: IrcLine): Pick<IrcEvent, 'key' | 'at'> {
    const at = Date.parse(tags.get('time') ?? '');
    const key = copy(tags.get('msgid') ?? '') || `${this.#connection} ${++this.#lines}`;
    return { key, ...(!Number.isNaN(at) && { at }) };
  }

  /** When we join, the server sends the member list again, so the old one is dropped. */
  #enter(channel: string, who: string | undefined): void {
    if (channel.length > MAX_NAME_LENGTH || (who?.length ?? 0) > MAX_NAME_LENGTH) return;
    if (who === undefined) this.#channels.delete(foldName(channel));
    if (who === '' || this.#size >= MAX_MEMBERS) return;
    const entry = this.#channels.get(foldName(channel)) ?? {
      name: copy(channel),
      members: new Set(),
    };
    this.#channels.set(foldName(entry.name), entry);
    if (who !== undefined) entry.members.add(copy(foldName(who)));
  }

  #forget(channel: string, who: string): void {
    this.#channels.get(foldName(channel))?.members.delete(foldName(who));
  }

  #rename(from: string, to: string): void {
    for (const { members } of this.#channels.values()) {
      if (members.delete(foldName(from)) && to.length <= MAX_NAME_LENGTH) {
        members.add(copy(foldName(to)));
      }
    }
  }

  #channelsOf(who: string): string[] {
    return [...this.#channels.values()].flatMap(({ name, members }) =>
      members.has(foldName(who)) ? [name] : [],
    );
  }

  /** Channel name as first joined, case-insensitive. */
  #nameOf(channel: string): string {
    return this.#channels.get(foldName(channel))?.name ?? copy(channel);
  }

  get #size(): number {
    return this.#channels.values().reduce((sum, { members }) => sum + members.size + 1, 0);
  }
}

/** Server names have dots, nicks do not. */
const isPerson = (name: string) => /^[^\s,:$#&.][^\s,.]*$/.test(name);

/** Without rank prefixes, and without user and host. */
const bare = (name: string) => name.replace(/^[~&@%+!]+/, '').split('!', 1)[0] ?? '';

/** A copy: a slice would keep the whole received buffer in memory. */
const copy = (name: string) => Buffer.from(name).toString();

/** https://modern.ircdocs.horse/formatting: the parameters of color codes. */
const COLORS = [
  ['\u0003', /^(?:\d{1,2},\d{1,2}|\d{1,2})/],
  ['\u0004', /^(?:[\da-f]{6},[\da-f]{6}|[\da-f]{6})/i],
] as const;
const CODES = /[^\P{Cc}\t]/gu;
/** https://modern.ircdocs.horse/ctcp.html: messages that begin with this, except actions, are between programs. */
const CTCP = '\u0001';
const ACTION = `${CTCP}ACTION `;

function textOf(raw: string): string {
  const isAction = raw.startsWith(ACTION);
  if (raw.startsWith(CTCP) && !isAction) return '';
  let text = isAction ? raw.slice(ACTION.length) : raw;
  for (const [code, color] of COLORS) {
    const [first = '', ...rest] = text.split(code);
    text = [first, ...rest.map((part) => part.replace(color, ''))].join('');
  }
  text = text.replaceAll(CODES, '');
  if (text.trim() === '') return '';
  return isAction ? `/me ${text}` : text;
}
