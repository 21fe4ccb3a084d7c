import type { Session, SessionServer } from '../../session.ts';
import type { PhoneEntry } from '../../shown.ts';
import type { Actor, Person } from '../../simulator.ts';
import { serveWebSocket } from '../../wire/http-session.ts';
import { GATEWAY, messageOf } from './events.ts';
import {
  DIRECT_MESSAGES,
  type Dispatch,
  GUILD_MESSAGES,
  MESSAGE_CONTENT,
  serveGateway,
} from './gateway.ts';

/*
 * The gateway of the simulated bot. Sequence numbers are those of the phone's entries, so that a session can be resumed
 * on any node: what came after the number is read from the phone.
 */

const SESSION = 'fake-session-of-the-sandbox';
const HEARTBEAT_MS = 41_250;
const REPORTED = ['message', 'join'] as const;

export const discordSession = (
  token: string,
  actorOf: (entry: PhoneEntry) => Actor,
): SessionServer => ({
  reports: REPORTED,
  serve(socket, session) {
    const host = {
      token,
      heartbeatMs: HEARTBEAT_MS,
      intents: GUILD_MESSAGES | DIRECT_MESSAGES | MESSAGE_CONTENT,
      admits: () => session.admits(),
      begin: async () => ({
        session: SESSION,
        seq: await session.phone.nextNumber(),
        url: GATEWAY,
      }),
      resume: (id: string, seq: number) =>
        id === SESSION ? missedAfter(seq, session, actorOf) : Promise.resolve(undefined),
      opened: (_: string, send: (dispatch: Dispatch) => Promise<void>) =>
        session.follow(({ entry, ...actor }) => send(dispatchOf(entry, actor))),
    };
    serveWebSocket(socket, (request) => (webSocket) => serveGateway(webSocket, request, host));
  },
});

/** Entries that were sent but that the bot has not stored. It recognizes repeated ones by their ids. */
async function missedAfter(
  seq: number,
  { phone }: Session,
  actorOf: (entry: PhoneEntry) => Actor,
): Promise<{ missed: readonly Dispatch[]; seq: number }> {
  const actions = await phone.actionsAfter(seq);
  const missed = actions
    .filter(({ entry: { kind, deleted } }) => REPORTED.some((each) => each === kind) && !deleted)
    .map((entry) => dispatchOf(entry, actorOf(entry)));
  return { missed, seq: missed.at(-1)?.s ?? seq };
}

const dispatchOf = (entry: PhoneEntry, actor: Actor): Dispatch => ({
  s: entry.number,
  t: 'MESSAGE_CREATE',
  d: messageOf(entry, actor),
});

/** The author of an entry: in a room, the entry has the name only. */
export function writerOf(
  { entry: { sender } }: PhoneEntry,
  place: Actor,
  people: readonly Person[],
): Actor {
  const named = people.find(({ name, isRoom }) => !isRoom && name === sender);
  return place.room && named ? { ...place, person: named } : place;
}
