import { once } from 'node:events';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { member } from '../../src/lib/json/json-member.ts';
import { parseJson } from '../../src/lib/json/parse-json.ts';
import type { HttpPeer, Reply, Request } from './server/http.ts';

/** What an endpoint does with a request: respond, reset the connection, or hang. */
export type Reaction = Reply | 'reset' | 'hang';

/** Decides what happens to a request, and when. */
export type React = (request: Request) => Reaction | Promise<Reaction>;

/** A server controlled by the test: its responses and their timing. */
export interface Endpoint extends HttpPeer {
  readonly seen: readonly Request[];
  /** Applies from the next request on. */
  react: React;
  /** Requests waiting for a response. */
  readonly inFlight: number;
  /** The highest number of requests that waited at once. */
  readonly maxInFlight: number;
}

export async function openEndpoint(react: React = () => ({ status: 204 })): Promise<Endpoint> {
  const seen: Request[] = [];
  const nextReactions: Reaction[] = [];
  let inFlight = 0;
  let maxInFlight = 0;
  const server = createServer((incoming, outgoing) => {
    void incoming.toArray().then(
      async (chunks: Buffer[]) => {
        const bytes = Buffer.concat(chunks);
        const text = bytes.toString();
        const { method = '', url: path = '' } = incoming;
        const headers = Object.fromEntries(
          Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
        );
        const body = { bytes, text, json: jsonOf(text), form: undefined, parts: undefined };
        const request = { method, path, headers, ...body };
        seen.push(request);
        maxInFlight = Math.max(maxInFlight, ++inFlight);
        const reaction = nextReactions.shift() ?? (await endpoint.react(request));
        if (reaction === 'hang') outgoing.once('close', () => inFlight--);
        else inFlight--;
        perform(reaction, outgoing);
      },
      // The connection ended while the request was read.
      () => {},
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const endpoint: Endpoint = {
    url: `http://127.0.0.1:${port}`,
    seen,
    react,
    get inFlight() {
      return inFlight;
    },
    get maxInFlight() {
      return maxInFlight;
    },
    next(reaction) {
      if (typeof reaction === 'object' || reaction === 'reset' || reaction === 'hang') {
        nextReactions.push(reaction);
      } else throw new Error(`unknown reaction ${reaction}`);
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return endpoint;
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function perform(reaction: Reaction, outgoing: ServerResponse): void {
  if (reaction === 'hang') return;
  if (reaction === 'reset') {
    outgoing.socket?.resetAndDestroy();
    return;
  }
  const { status, headers = {}, body } = reaction;
  const json = typeof body === 'object';
  outgoing.writeHead(status, { ...(json && { 'content-type': 'application/json' }), ...headers });
  outgoing.end(json ? JSON.stringify(body) : body);
}

/** The message text and recipient of a webhook request. */
export const contentOf = ({ json }: Request) => String(member(json, 'object', 'content'));
export const recipientOf = ({ json }: Request) => String(member(json, 'to', 'id'));

/** Accepts any Telegram bot message to any chat. */
export function openAnyChat(): Promise<Endpoint> {
  let last = 0;
  return openEndpoint(({ json }) => ({
    status: 200,
    body: {
      ok: true,
      result: { message_id: ++last, chat: { id: Number(member(json, 'chat_id')) } },
    },
  }));
}

/** A promise that the test resolves with `open`. */
export function createGate(): { opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: () => resolve() };
}
