import type { WebSocket } from 'ws';

import { jsonBody } from '../../lib/json/json-body.ts';
import { integerMember, member, numberMember, textMember } from '../../lib/json/json-member.ts';
import { type WebSocketOptions, openWebSocket } from '../../lib/net/web-socket.ts';
import type { Cancel, Clock } from '../../lib/runtime/clock.ts';

/*
 * Discord's Gateway: the connection over which a bot receives events.
 * https://docs.discord.com/developers/events/gateway
 *
 *   HELLO ─▶ IDENTIFY ─▶ READY ─▶ dispatches, heartbeats
 *      └──▶ RESUME ────▶ missed dispatches, RESUMED ─▶ dispatches, heartbeats
 */

/** The state of a session, with which it can be resumed for some minutes. */
interface GatewaySession {
  id: string;
  /** Where to resume it. */
  url: string;
  /** The bot's user id. */
  self: string;
  /** The sequence number of the last dispatch received. */
  seq: number;
}

export interface GatewayOptions extends Pick<WebSocketOptions, 'dial' | 'signal'> {
  url: string;
  token: string;
  intents: number;
  session: GatewaySession | undefined;
  clock: Clock;
  /** Receives dispatches one at a time. */
  onDispatch(name: string, data: unknown, session: GatewaySession): Promise<void>;
}

/** How a connection ended: resume the session, begin a new one, or give up. */
type GatewayEnd =
  | { next: 'resume' | 'begin'; detail: string }
  | { next: 'stop'; code: number; detail: string };

/** The events a bot can subscribe to. https://docs.discord.com/developers/events/gateway#gateway-intents */
export const INTENTS = { guildMessages: 1 << 9, directMessages: 1 << 12, messageContent: 1 << 15 };

/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-opcodes */
const OP = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalidSession: 9,
  hello: 10,
  acknowledged: 11,
} as const;

/** Any code but 1000 and 1001, which would end the session too. */
const CLOSE_TO_RESUME = 4000;
/** Maximum wait for HELLO, in milliseconds. */
const HELLO_TIMEOUT_MS = 20_000;
const MAX_FRAME_BYTES = 16 * 1024 * 1024;
/** Maximum number of dispatches waiting to be stored; the socket is paused beyond that. */
const MAX_WAITING_DISPATCHES = 100;

export async function runGateway(options: GatewayOptions): Promise<GatewayEnd> {
  const { url, dial, signal } = options;
  const address = new URL(url);
  address.search = '?v=10&encoding=json';
  const socket = await openWebSocket(address.href, { dial, signal, maxBytes: MAX_FRAME_BYTES });
  return new Connection(socket, options).run();
}

class Connection {
  readonly #socket: WebSocket;
  readonly #options: GatewayOptions;
  readonly #ended = Promise.withResolvers<GatewayEnd>();
  #session: GatewaySession | undefined;
  #seq: number | null;
  #cancel: Cancel;
  #isAcknowledged = true;
  #waiting = 0;
  #work: Promise<void> = Promise.resolve();

  constructor(socket: WebSocket, options: GatewayOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#session = options.session;
    this.#seq = options.session?.seq ?? null;
    this.#cancel = options.clock.after(HELLO_TIMEOUT_MS, () =>
      this.#end('resume', 'Discord sent no Hello'),
    );
  }

  async run(): Promise<GatewayEnd> {
    this.#socket.on('message', (data: Buffer) => this.#take(jsonBody(data)));
    this.#socket.once('close', (code) => this.#ended.resolve(endOf(code)));
    this.#socket.resume();
    try {
      const end = await this.#ended.promise;
      await this.#work;
      return end;
    } finally {
      this.#cancel();
      this.#socket.terminate();
    }
  }

  #end(next: 'resume' | 'begin', detail: string): void {
    this.#ended.resolve({ next, detail });
    this.#socket.close(CLOSE_TO_RESUME);
  }

  #take(message: unknown): void {
    switch (numberMember(message, 'op')) {
      case OP.hello:
        this.#greet(numberMember(message, 'd', 'heartbeat_interval'));
        break;
      case OP.dispatch:
        this.#dispatch(message);
        break;
      case OP.heartbeat:
        this.#beat();
        break;
      case OP.acknowledged:
        this.#isAcknowledged = true;
        break;
      case OP.reconnect:
        this.#end('resume', 'Discord requested a reconnect');
        break;
      case OP.invalidSession:
        this.#end(member(message, 'd') === true ? 'resume' : 'begin', 'the session ended');
        break;
      default:
    }
  }

  #say(op: number, d: unknown): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify({ op, d }));
  }

  #greet(interval: number | undefined): void {
    if (interval === undefined || interval <= 0) {
      this.#end('resume', 'Discord sent an invalid Hello');
      return;
    }
    const { token, intents, session } = this.#options;
    if (session) this.#say(OP.resume, { token, session_id: session.id, seq: session.seq });
    else {
      const properties = { os: process.platform, browser: 'switchboard', device: 'switchboard' };
      this.#say(OP.identify, { token, intents, properties });
    }
    // The first heartbeat is randomized, so that not all bots send at once.
    this.#beatAfter(interval * Math.random(), interval);
  }

  #beatAfter(milliseconds: number, interval: number): void {
    this.#cancel();
    this.#cancel = this.#options.clock.after(milliseconds, () => {
      if (!this.#isAcknowledged) {
        this.#end('resume', 'Discord stopped responding');
        return;
      }
      this.#beat();
      this.#beatAfter(interval, interval);
    });
  }

  #beat(): void {
    this.#isAcknowledged = false;
    this.#say(OP.heartbeat, this.#seq);
  }

  #dispatch(message: unknown): void {
    const name = textMember(message, 't') ?? '';
    const data = member(message, 'd');
    const seq = Number(integerMember(message, 's') ?? this.#seq);
    this.#seq = seq;
    if (name === 'READY') this.#session = sessionOf(data, seq, this.#options.url);
    if (!this.#session) return;
    const session = { ...this.#session, seq };
    if (++this.#waiting > MAX_WAITING_DISPATCHES) this.#socket.pause();
    this.#work = this.#work.then(async () => {
      await this.#options.onDispatch(name, data, session);
      if (--this.#waiting <= MAX_WAITING_DISPATCHES) this.#socket.resume();
    });
    // Discord repeats dispatches that were not stored when the session is resumed.
    this.#work.catch((error: unknown) => this.#ended.reject(error));
  }
}

function sessionOf(ready: unknown, seq: number, url: string): GatewaySession | undefined {
  const [id, self] = [textMember(ready, 'session_id'), textMember(ready, 'user', 'id')];
  if (id === undefined || self === undefined) return undefined;
  return { id, self, seq, url: textMember(ready, 'resume_gateway_url') ?? url };
}

/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes */
const REFUSALS: Readonly<Record<number, string>> = {
  4004: 'invalid bot token',
  4010: 'Discord rejected the shard',
  4011: 'the bot is on too many servers for one connection; Discord requires sharding',
  4012: 'Discord no longer supports this gateway version',
  4013: 'invalid gateway intents',
  4014: 'the Message Content Intent is off',
};

function endOf(code: number): GatewayEnd {
  const refusal = REFUSALS[code];
  if (refusal !== undefined) return { next: 'stop', code, detail: refusal };
  const detail = `Discord closed the connection: ${code}`;
  // Invalid sequence number, or session timed out.
  return { next: code === 4007 || code === 4009 ? 'begin' : 'resume', detail };
}

/** Parses the stored session. */
export function readSession(cursor: string | undefined): GatewaySession | undefined {
  const json = jsonBody(cursor ?? '');
  const [id, url, self] = ['id', 'url', 'self'].map((key) => textMember(json, key));
  const seq = numberMember(json, 'seq');
  if (id === undefined || url === undefined || self === undefined || seq === undefined) {
    return undefined;
  }
  return { id, url, self, seq };
}
