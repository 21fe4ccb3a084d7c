import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { type WebSocket, WebSocketServer } from 'ws';

import { member, numberMember, textMember } from '../../../src/lib/json/json-member.ts';
import { parseJson } from '../../../src/lib/json/parse-json.ts';
import { TOKEN } from './api.ts';

/*
 * The parts of Discord's Gateway that we use: it closes the connection on anything undocumented.
 * https://docs.discord.com/developers/events/gateway
 */
export const SELF = '80351110224678912';

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

const ALL = (1 << 9) | (1 << 12) | (1 << 15);

export async function openGateway(settings: GatewaySettings = {}) {
  const { interval = 60_000, ignoresHeartbeats = false, intents = ALL, remaining = 999 } = settings;
  const receivedItems: Received[] = [];
  const listeners = new Set<() => void>();
  const sessions = new Map<string, { seq: number; sent: object[] }>();
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

  sockets.on('connection', (socket, request) => {
    if (request.url !== '/?v=10&encoding=json') return socket.close(4012);
    let state: { seq: number; sent: object[] } | undefined;
    const sendOp = (op: number, d: unknown, more: object = {}) =>
      socket.send(JSON.stringify({ op, d, ...more }));

    const identify = (d: unknown) => {
      if (textMember(d, 'token') !== TOKEN) return socket.close(4004);
      const wanted = numberMember(d, 'intents') ?? 0;
      note({ what: 'identify', intents: wanted });
      if ((wanted & ~intents) !== 0) return socket.close(4014);
      if (textMember(d, 'properties', 'browser') === undefined) return socket.close(4002);
      const session = `fake-session-${sessions.size + 1}`;
      state = { seq: 1, sent: [] };
      sessions.set(session, state);
      current = { socket, session };
      const ready = {
        v: 10,
        user: { id: SELF, username: 'Example', bot: true },
        session_id: session,
        resume_gateway_url: `ws://127.0.0.1:${port}`,
        application: { id: SELF },
      };
      sendOp(0, ready, { s: 1, t: 'READY' });
    };

    const resume = (d: unknown) => {
      const [session = '', seq = -1] = [textMember(d, 'session_id'), numberMember(d, 'seq')];
      if (textMember(d, 'token') !== TOKEN) return socket.close(4004);
      note({ what: 'resume', session, seq });
      state = refused.has(session) ? undefined : sessions.get(session);
      if (!state) return sendOp(9, false);
      if (seq > state.seq) return socket.close(4007);
      current = { socket, session };
      for (const missed of state.sent) {
        if ((numberMember(missed, 's') ?? 0) > seq) socket.send(JSON.stringify(missed));
      }
      sendOp(0, null, { s: ++state.seq, t: 'RESUMED' });
    };

    socket.on('message', (data: Buffer) => {
      const message = parseJson(data.toString());
      const [op, d] = [numberMember(message, 'op'), member(message, 'd')];
      if (op === 2 && !state) identify(d);
      else if (op === 6 && !state) resume(d);
      else if (op === 1) {
        const seq = d === null ? null : Number(d);
        note({ what: 'heartbeat', seq });
        if (!ignoresHeartbeats) sendOp(11, null);
      } else socket.close(state ? 4005 : 4003);
    });
    sendOp(10, { heartbeat_interval: interval, _trace: [] });
  });

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
      const message = { op: 0, d, s: ++state.seq, t };
      state.sent.push(message);
      if (current.socket.readyState === current.socket.OPEN) {
        current.socket.send(JSON.stringify(message));
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
