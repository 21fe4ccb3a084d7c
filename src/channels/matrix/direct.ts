import type { FetchRequest } from '../../lib/http/fetch.ts';
import { member, textMember } from '../../lib/json/json-member.ts';
import { type Failure, isFailure } from '../channel.ts';

/* Finds or creates rooms for direct messages. https://spec.matrix.org/latest/client-server-api/#direct-messaging */

/** A parsed response of the homeserver. */
export interface ParsedResponse<Value> {
  outcome: 'answered';
  value: Value;
}

/** Sends a request; a response that `read` cannot parse is a refusal too. */
export type MatrixCall = <Value>(
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  read: (json: unknown) => Value | undefined,
  body?: object,
  more?: CallOptions,
) => Promise<ParsedResponse<Value> | Failure>;

export interface CallOptions extends Pick<FetchRequest, 'deadline' | 'maxBytes'> {
  /** Called when the response exceeds the limits. */
  tooLong?(): void;
}

/** For lists of events and rooms. */
export const MAX_LIST_BYTES = 8 * 1024 * 1024;
const MEMBERSHIP_CACHE_MS = 300_000;

export class DirectRooms {
  /** The room for each user, and when we last saw the user in it. */
  readonly #rooms = new Map<string, { room: string; seen: number }>();
  readonly #finding = new Map<string, Promise<string | Failure>>();
  #last: Promise<unknown> = Promise.resolve();

  /** The existing room for this user, or a new one. */
  async find(user: string, now: number, call: MatrixCall): Promise<string | Failure> {
    const known = this.#rooms.get(user);
    if (known && now < known.seen + MEMBERSHIP_CACHE_MS) return known.room;
    const finding = this.#finding.get(user) ?? this.#begin(user, known?.room, call);
    const room = await finding;
    if (typeof room === 'string') this.#rooms.set(user, { room, seen: now });
    return room;
  }

  /** Marks the room as possibly unusable. */
  doubt(user: string): void {
    const known = this.#rooms.get(user);
    if (known) known.seen = Number.NEGATIVE_INFINITY;
  }

  async #begin(user: string, known: string | undefined, call: MatrixCall) {
    const finding = this.#find(user, known, call).finally(() => this.#finding.delete(user));
    this.#finding.set(user, finding);
    return finding;
  }

  async #find(user: string, known: string | undefined, call: MatrixCall) {
    const self = await whoami(call);
    if (isFailure(self)) return self;
    const direct = await readDirect(self.value, call);
    if (isFailure(direct)) return direct;
    const noted = roomsOf(direct.value, user);
    for (const room of new Set(known === undefined ? noted : [known, ...noted])) {
      const isPresent = await isIn(room, user, call);
      if (typeof isPresent !== 'boolean') return isPresent;
      if (isPresent) return room;
    }
    // One at a time, since each one updates the same account data.
    const creating = this.#last.then(async () => create(self.value, user, call));
    this.#last = creating.catch(() => {});
    return creating;
  }
}

/** The owner of the token. */
export async function whoami(call: MatrixCall): Promise<ParsedResponse<string> | Failure> {
  return call('GET', 'account/whoami', (json) => textMember(json, 'user_id'));
}

/** Whether a user has joined a room or is invited. */
async function isIn(room: string, user: string, call: MatrixCall): Promise<boolean | Failure> {
  const path = `rooms/${encodeURIComponent(room)}/state/m.room.member/${encodeURIComponent(user)}`;
  const answer = await call('GET', path, (json) => textMember(json, 'membership'));
  if (!isFailure(answer)) return ['join', 'invite'].includes(answer.value);
  // The bot may not query a room that it is not in.
  return ['M_FORBIDDEN', 'M_NOT_FOUND'].includes(answer.code ?? '') ? false : answer;
}

async function create(self: string, user: string, call: MatrixCall): Promise<string | Failure> {
  const created = await call('POST', 'createRoom', (json) => textMember(json, 'room_id'), {
    is_direct: true,
    preset: 'trusted_private_chat',
    invite: [user],
  });
  if (isFailure(created)) return created;
  const room = created.value;
  // Used even if it cannot be recorded: another attempt would only create another room.
  await note(self, user, room, call);
  return room;
}

/** Records that a room is for direct messages with a user; returns all records on success. */
export async function note(
  self: string,
  user: string,
  room: string,
  call: MatrixCall,
): Promise<object | undefined> {
  const direct = await readDirect(self, call);
  if (isFailure(direct)) return undefined;
  const before = roomsOf(direct.value, user);
  const noted = { ...direct.value, [user]: [...before.filter((each) => each !== room), room] };
  const answer = await call('PUT', directPath(self), (json) => json, noted);
  return isFailure(answer) ? undefined : noted;
}

const directPath = (self: string) => `user/${encodeURIComponent(self)}/account_data/m.direct`;

/** https://spec.matrix.org/latest/client-server-api/#mdirect */
async function readDirect(
  self: string,
  call: MatrixCall,
): Promise<ParsedResponse<object> | Failure> {
  const more = { maxBytes: MAX_LIST_BYTES };
  const answer = await call('GET', directPath(self), objectIn, undefined, more);
  const isNone = isFailure(answer) && answer.code === 'M_NOT_FOUND';
  return isNone ? { outcome: 'answered', value: {} } : answer;
}

const objectIn = (json: unknown) => (typeof json === 'object' && json !== null ? json : undefined);

export function roomsOf(direct: object, user: string): string[] {
  const found = member(direct, user);
  return Array.isArray(found) ? found.filter((room) => typeof room === 'string') : [];
}
