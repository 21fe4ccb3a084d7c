import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import {
  type Reply,
  type Request,
  readRequest,
  encodeBody,
} from '../../../src/sandbox/wire/request.ts';
import type { Peer } from '../../channels/suite.ts';

export type { Reply, Request };

/** Network faults, which no vendor intends. `none` keeps the default response. */
export type ConnectionFault = 'none' | 'hang' | 'reset' | 'close' | 'garbage' | 'html' | 'empty';

export type HttpPeer = Peer<Request, Reply | ConnectionFault>;

/** An HTTP vendor. `answer` gives the default response to a request. */
export async function openHttp(
  answer: (request: Request) => Reply | Promise<Reply>,
): Promise<HttpPeer> {
  const seen: Request[] = [];
  const nextReplies: (Reply | ConnectionFault)[] = [];
  const server = createServer((incoming, outgoing) => {
    void readIncoming(incoming).then(async (request) => {
      if (!request) {
        write({ status: 400, body: 'EMULATOR: a broken form' }, outgoing);
        return;
      }
      seen.push(request);
      const next = nextReplies.shift() ?? 'none';
      const reply = next === 'none' ? await answer(request) : next;
      if (typeof reply === 'string') inject(reply, outgoing);
      else write(reply, outgoing);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    next: (reply) => void nextReplies.push(reply),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function readIncoming(incoming: IncomingMessage): Promise<Request | undefined> {
  const bytes = Buffer.concat(await incoming.toArray());
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
  );
  return readRequest({ method: incoming.method ?? '', path: incoming.url ?? '', headers, bytes });
}

function write(reply: Reply, outgoing: ServerResponse): void {
  const { bytes, type } = encodeBody(reply);
  outgoing.writeHead(reply.status, {
    ...(type !== undefined && { 'content-type': type }),
    ...reply.headers,
  });
  outgoing.end(bytes);
}

const HTML = '<!doctype html><title>Bad gateway</title><h1>Bad gateway</h1>';

function inject(connectionFault: ConnectionFault, outgoing: ServerResponse): void {
  if (connectionFault === 'reset') outgoing.socket?.resetAndDestroy();
  else if (connectionFault === 'close') outgoing.socket?.destroy();
  else if (connectionFault === 'garbage') outgoing.socket?.end('SSH-2.0-OpenSSH_9.6\r\n');
  else if (connectionFault === 'empty') write({ status: 200, body: '' }, outgoing);
  else if (connectionFault === 'html') {
    write({ status: 200, headers: { 'content-type': 'text/html' }, body: HTML }, outgoing);
  }
}
