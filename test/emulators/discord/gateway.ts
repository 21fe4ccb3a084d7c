import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { type WebSocket, WebSocketServer } from 'ws';

import { numberMember, textMember } from '../../../src/lib/json/json-member.ts';
import { parseJson } from '../../../src/lib/json/parse-json.ts';
import { BOT } from '../../../src/sandbox/vendors/discord/events.ts';
import {
  DIRECT_MESSAGES,
  type Dispatch,
  GUILD_MESSAGES,
  MESSAGE_CONTENT,
  serveGateway,
} from '../../../src/sandbox/vendors/discord/gateway.ts';
import { TOKEN } from './api.ts';

/* The gateway of the simulator of Discord, with the dispatches, limits and interruptions that tests need. */
export const SELF = BOT;

/** Received by the gateway: the first operation of a connection, a heartbeat, or a response by HTTP. */
export type Received =
  | { what: 'identify'; intents: number }
  | { what: 'resume'; session: string; seq: number }
  | { what: 'heartbeat'; seq: number | null }
  | { what: 'answer'; path: string; json: unknown };

export interface GatewaySettings {
  /** Milliseconds between heartbeats. */
  interval?: number;
  /** Whether heartbeats stay unanswered. */
  ignoresHeartbeats?: boolean;
  /** The intents that the bot may use. */
  intents?: number;
  /** Remaining session starts. */
  remaining?: number;
  /** The gateway's URL, if it is not this emulator. */
  gatewayUrl?: string;
}

const ALL = GUILD_MESSAGES | DIRECT_MESSAGES | MESSAGE_CONTENT;

export async function openGateway(settings: GatewaySettings = {}) {
  const { interval = 60_000, ignoresHeartbeats = false, intents = ALL, remaining = 999 } = settings;
  const receivedItems: Received[] = [];
  const listeners = new Set<() => void>();
  const sessions = new Map<string, { seq: number; sent: Dispatch[] }>();
  const refused = new Set<string>();
  let current: { socket: WebSocket; session: string } | undefined;

  const note = (what: Received) => {
    receivedItems.push(what);
    for (const listener of listeners) listener();
  };

  const server = createServer((request, response) => {
    void request.toArray().then((chunks: Buffer[]) => {
      const text = Buffer.concat(chunks).toString();
      const path = request.url ?? '';
      if (request.headers.authorization !== `Bot ${TOKEN}`) {
        response.writeHead(401).end('{"message":"401: Unauthorized","code":0}');
      } else if (path === '/gateway/bot') {
        const limit = { total: 1000, remaining, reset_after: 14_400_000, max_concurrency: 1 };
        const where = settings.gatewayUrl ?? `ws://127.0.0.1:${port}`;
        response.end(JSON.stringify({ url: where, shards: 1, session_start_limit: limit }));
      } else {
        note({ what: 'answer', path, json: parseJson(text) });
        response.writeHead(204).end();
      }
    });
  });
  const sockets = new WebSocketServer({ server });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  sockets.on('connection', (socket, request) =>
    serveGateway(socket, request, {
      token: TOKEN,
      heartbeatMs: interval,
      intents,
      ignoresHeartbeats,
      async begin() {
        const session = `fake-session-${sessions.size + 1}`;
        sessions.set(session, { seq: 1, sent: [] });
        current = { socket, session };
        return { session, seq: 1, url: `ws://127.0.0.1:${port}` };
      },
      async resume(session, seq) {
        const state = refused.has(session) ? undefined : sessions.get(session);
        if (!state) return undefined;
        if (seq > state.seq) return 'invalid_seq';
        current = { socket, session };
        return { missed: state.sent.filter(({ s }) => s > seq), seq: ++state.seq };
      },
      opened() {},
      received(op, d) {
        const item = receivedItem(op, d);
        if (item) note(item);
      },
    }),
  );

  return {
    url: `http://127.0.0.1:${port}`,
    receivedItems,
    /** Resolves when `count` items have been received. */
    async received(count: number): Promise<void> {
      while (receivedItems.length < count) {
        await new Promise<void>((resolve) => {
          listeners.add(resolve);
        });
      }
    },
    /** Sends an event to the bot, or keeps it until the bot is back. */
    dispatch(t: string, d: object) {
      const state = sessions.get(current?.session ?? '');
      if (!current || !state) throw new Error('there is no session yet');
      const message = { d, s: ++state.seq, t };
      state.sent.push(message);
      if (current.socket.readyState === current.socket.OPEN) {
        current.socket.send(JSON.stringify({ op: 0, ...message }));
      }
    },
    /** Sends an operation, such as a reconnect request. */
    sendOp: (op: number, d: unknown = null) => current?.socket.send(JSON.stringify({ op, d })),
    drop: (code?: number) =>
      code === undefined ? current?.socket.terminate() : current?.socket.close(code),
    /** Forgets the session. */
    forget: () => void refused.add(current?.session ?? ''),
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function receivedItem(op: number, d: unknown): Received | undefined {
  switch (op) {
    case 1:
      return { what: 'heartbeat', seq: d === null ? null : Number(d) };
    case 2:
      return { what: 'identify', intents: numberMember(d, 'intents') ?? 0 };
    case 6: {
      const [session = '', seq = -1] = [textMember(d, 'session_id'), numberMember(d, 'seq')];
      return { what: 'resume', session, seq };
    }
    default:
      return undefined;
  }
}
