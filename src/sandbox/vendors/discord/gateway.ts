import type { IncomingMessage } from 'node:http';

import type { WebSocket } from 'ws';

import { member, numberMember, textMember } from '../../../lib/json/json-member.ts';
import { parseJson } from '../../../lib/json/parse-json.ts';
import { BOT } from './events.ts';

/*
 * Discord's gateway, at least as strict as documented: it closes the connection on anything undocumented.
 * https://docs.discord.com/developers/events/gateway
 */

/** An event for the bot. */
export interface Dispatch {
  /** The sequence number, from which a session is resumed. */
  s: number;
  t: string;
  d: object | null;
}

/** The settings of the bot, and what the gateway does when operations arrive. */
interface GatewayHost {
  token: string;
  heartbeatMs: number;
  /** The intents that the bot may use. */
  intents: number;
  /** Whether heartbeats stay unanswered. */
  ignoresHeartbeats?: boolean;
  /** Whether the token is accepted at present. */
  admits?(): Promise<boolean>;
  begin(): Promise<{ session: string; seq: number; url: string }>;
  /** The dispatches after this number; undefined if the session has ended. */
  resume(
    session: string,
    seq: number,
  ): Promise<{ missed: readonly Dispatch[]; seq: number } | 'invalid_seq' | undefined>;
  /** The bot receives dispatches from now on. */
  opened(session: string, send: (dispatch: Dispatch) => Promise<void>): void;
  /** An operation has arrived. */
  received?(op: number, d: unknown): void;
}

const OP = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  resume: 6,
  invalidSession: 9,
  hello: 10,
  acknowledged: 11,
} as const;

/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes */
const CLOSE = {
  unknownError: 4000,
  unknownOp: 4001,
  malformed: 4002,
  notAuthenticated: 4003,
  badToken: 4004,
  alreadyAuthenticated: 4005,
  badSeq: 4007,
  badVersion: 4012,
  disallowedIntents: 4014,
} as const;

export const GUILD_MESSAGES = 1 << 9;
export const DIRECT_MESSAGES = 1 << 12;
export const MESSAGE_CONTENT = 1 << 15;

/** Serves one connection of a bot. */
export function serveGateway(socket: WebSocket, { url }: IncomingMessage, host: GatewayHost): void {
  const query = new URL(url ?? '', 'ws://localhost').searchParams;
  if (query.get('v') !== '10' || query.get('encoding') !== 'json') {
    socket.close(CLOSE.badVersion);
    return;
  }
  const connection = new GatewayConnection(socket, host);
  let last = Promise.resolve();
  socket.on('error', () => {});
  socket.on('message', (data: Buffer) => {
    last = last
      .then(() => connection.receive(parseJson(data.toString())))
      .catch(() => socket.close(CLOSE.unknownError));
  });
  void connection.send(OP.hello, { heartbeat_interval: host.heartbeatMs, _trace: [] });
}

class GatewayConnection {
  readonly #socket: WebSocket;
  readonly #host: GatewayHost;
  #isAuthenticated = false;

  constructor(socket: WebSocket, host: GatewayHost) {
    this.#socket = socket;
    this.#host = host;
  }

  /** Rejects when the connection has ended. */
  send(op: number, d: unknown, more: Partial<Dispatch> = {}): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const text = JSON.stringify({ op, d, s: null, t: null, ...more });
    this.#socket.send(text, (error) => (error ? reject(error) : resolve()));
    // Awaited only where it matters.
    promise.catch(() => {});
    return promise;
  }

  async receive(message: unknown): Promise<void> {
    const [op, d] = [numberMember(message, 'op'), member(message, 'd')];
    if (op === undefined) return this.#socket.close(CLOSE.malformed);
    this.#host.received?.(op, d);
    switch (op) {
      case OP.heartbeat:
        if (!this.#host.ignoresHeartbeats) await this.send(OP.acknowledged, null);
        return undefined;
      case OP.identify:
      case OP.resume:
        return this.#isAuthenticated
          ? this.#socket.close(CLOSE.alreadyAuthenticated)
          : this.#authenticate(op, d);
      default:
        return this.#socket.close(this.#isAuthenticated ? CLOSE.unknownOp : CLOSE.notAuthenticated);
    }
  }

  async #authenticate(op: number, d: unknown): Promise<void> {
    const { token, admits } = this.#host;
    if (textMember(d, 'token') !== token || (await admits?.()) === false) {
      return this.#socket.close(CLOSE.badToken);
    }
    return op === OP.identify ? this.#identify(d) : this.#resume(d);
  }

  async #identify(d: unknown): Promise<void> {
    const names = ['os', 'browser', 'device'];
    const isComplete = names.every((name) => textMember(d, 'properties', name) !== undefined);
    const intents = numberMember(d, 'intents');
    if (!isComplete || intents === undefined) return this.#socket.close(CLOSE.malformed);
    if ((intents & ~this.#host.intents) !== 0) return this.#socket.close(CLOSE.disallowedIntents);
    const { session, seq, url } = await this.#host.begin();
    const ready = {
      v: 10,
      user: { id: BOT, username: 'Example', bot: true },
      guilds: [],
      session_id: session,
      resume_gateway_url: url,
      application: { id: BOT, flags: 0 },
    };
    await this.#dispatch({ s: seq, t: 'READY', d: ready });
    return this.#open(session);
  }

  async #resume(d: unknown): Promise<void> {
    const [session, seq] = [textMember(d, 'session_id'), numberMember(d, 'seq')];
    if (session === undefined || seq === undefined) return this.#socket.close(CLOSE.malformed);
    const resumed = await this.#host.resume(session, seq);
    if (!resumed) return this.send(OP.invalidSession, false);
    if (resumed === 'invalid_seq') return this.#socket.close(CLOSE.badSeq);
    for (const dispatch of resumed.missed) await this.#dispatch(dispatch);
    await this.#dispatch({ s: resumed.seq, t: 'RESUMED', d: null });
    return this.#open(session);
  }

  #open(session: string): void {
    this.#isAuthenticated = true;
    this.#host.opened(session, (dispatch) => this.#dispatch(dispatch));
  }

  #dispatch({ s, t, d }: Dispatch): Promise<void> {
    return this.send(OP.dispatch, d, { s, t });
  }
}
