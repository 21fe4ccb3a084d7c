import { member, textMember } from '../../lib/member.ts';

/*
 * Rooms of a Matrix homeserver for messages to one person.
 * https://spec.matrix.org/latest/client-server-api/#direct-messaging
 */

/** What a homeserver answered, as it was read. */
export interface Answered<Value> {
  outcome: 'answered';
  value: Value;
}

/** Asks the homeserver; what `read` cannot read is a refusal too. */
export type Ask<Refusal> = <Value>(
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  read: (json: unknown) => Value | undefined,
  body?: object,
  more?: AskMore,
) => Promise<Answered<Value> | Refusal>;

export interface AskMore {
  /** Milliseconds that the answer may take, and bytes that it may have. */
  deadline?: number;
  most?: number;
  /** Told when it had more. */
  tooLong?(): void;
}

export interface Refused {
  outcome: string;
  blame?: string;
  code?: string;
}

/** For so long, in milliseconds, nobody asks whether the person has left the room. */
const SEEN_FOR = 300_000;

export class DirectRooms<Refusal extends Refused> {
  /** The room for each person, and when it was seen that the person is in it. */
  readonly #rooms = new Map<string, { room: string; seen: number }>();
  readonly #finding = new Map<string, Promise<string | Refusal>>();
  #last: Promise<unknown> = Promise.resolve();

  /** The room that there is for this person, or a new one. */
  async find(user: string, now: number, ask: Ask<Refusal>): Promise<string | Refusal> {
    const known = this.#rooms.get(user);
    if (known && now < known.seen + SEEN_FOR) return known.room;
    const finding = this.#finding.get(user) ?? this.#begin(user, known?.room, ask);
    const room = await finding;
    if (typeof room === 'string') this.#rooms.set(user, { room, seen: now });
    return room;
  }

  /** The room may not do any more. */
  doubt(user: string): void {
    const known = this.#rooms.get(user);
    if (known) known.seen = Number.NEGATIVE_INFINITY;
  }

  async #begin(user: string, known: string | undefined, ask: Ask<Refusal>) {
    const finding = this.#find(user, known, ask).finally(() => this.#finding.delete(user));
    this.#finding.set(user, finding);
    return finding;
  }

  async #find(user: string, known: string | undefined, ask: Ask<Refusal>) {
    const self = await whoami(ask);
    if (isRefusal(self)) return self;
    const direct = await readDirect(self.value, ask);
    if (isRefusal(direct)) return direct;
    const noted = roomsOf(direct.value, user);
    for (const room of new Set(known === undefined ? noted : [known, ...noted])) {
      const isThere = await isIn(room, user, ask);
      if (typeof isThere !== 'boolean') return isThere;
      if (isThere) return room;
    }
    // Each adds to what is noted, so one after the other.
    const creating = this.#last.then(async () => create(self.value, user, ask));
    this.#last = creating.catch(() => {});
    return creating;
  }
}

export function isRefusal<Value, Refusal extends Refused>(
  answer: Answered<Value> | Refusal,
): answer is Refusal {
  return answer.outcome !== 'answered';
}

/** Who the token belongs to. */
export async function whoami<Refusal>(ask: Ask<Refusal>): Promise<Answered<string> | Refusal> {
  return ask('GET', 'account/whoami', (json) => textMember(json, 'user_id'));
}

/** Whether a person is in a room, or at least invited. */
async function isIn<Refusal extends Refused>(
  room: string,
  user: string,
  ask: Ask<Refusal>,
): Promise<boolean | Refusal> {
  const path = `rooms/${encodeURIComponent(room)}/state/m.room.member/${encodeURIComponent(user)}`;
  const answer = await ask('GET', path, (json) => textMember(json, 'membership'));
  if (!isRefusal(answer)) return ['join', 'invite'].includes(answer.value);
  // Where the bot is not itself, it may not ask.
  return ['M_FORBIDDEN', 'M_NOT_FOUND'].includes(answer.code ?? '') ? false : answer;
}

async function create<Refusal extends Refused>(
  self: string,
  user: string,
  ask: Ask<Refusal>,
): Promise<string | Refusal> {
  const created = await ask('POST', 'createRoom', (json) => textMember(json, 'room_id'), {
    is_direct: true,
    preset: 'trusted_private_chat',
    invite: [user],
  });
  if (isRefusal(created)) return created;
  const room = created.value;
  // When it cannot be noted it is used all the same: another try would only make another room.
  await note(self, user, room, ask);
  return room;
}

/** Notes that a room is for messages to one person; answers all that is noted, if it could be. */
export async function note<Refusal extends Refused>(
  self: string,
  user: string,
  room: string,
  ask: Ask<Refusal>,
): Promise<object | undefined> {
  const direct = await readDirect(self, ask);
  if (isRefusal(direct)) return undefined;
  const before = roomsOf(direct.value, user);
  const noted = { ...direct.value, [user]: [...before.filter((each) => each !== room), room] };
  const answer = await ask('PUT', directPath(self), (json) => json, noted);
  return isRefusal(answer) ? undefined : noted;
}

const directPath = (self: string) => `user/${encodeURIComponent(self)}/account_data/m.direct`;

/** https://spec.matrix.org/latest/client-server-api/#mdirect */
async function readDirect<Refusal extends Refused>(
  self: string,
  ask: Ask<Refusal>,
): Promise<Answered<object> | Refusal> {
  const answer = await ask('GET', directPath(self), (json) =>
    typeof json === 'object' && json !== null ? json : undefined,
  );
  const isNone = isRefusal(answer) && answer.code === 'M_NOT_FOUND';
  return isNone ? { outcome: 'answered', value: {} } : answer;
}

export function roomsOf(direct: object, user: string): string[] {
  const found = member(direct, user);
  return Array.isArray(found) ? found.filter((room) => typeof room === 'string') : [];
}
