import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { parseJson } from '../../../src/lib/json/parse-json.ts';
import type { Peer } from '../../channels/suite.ts';
import { type FormPart, readForm } from './form.ts';

/** A received request. */
export interface Request {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  text: string;
  bytes: Buffer;
  /** The body as a multipart form; undefined when it is not one. */
  parts: readonly FormPart[] | undefined;
  /** The body as JSON; undefined when it is not JSON. */
  json: unknown;
  /** The body as URL-encoded fields; undefined when it is not a form. */
  form: Readonly<Record<string, string>> | undefined;
}

export interface Reply {
  status: number;
  headers?: Readonly<Record<string, string>>;
  /** Objects are written as JSON. */
  body?: unknown;
}

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
    void readRequest(incoming).then(async (request) => {
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

/** Undefined for a malformed multipart form. */
async function readRequest(incoming: IncomingMessage): Promise<Request | undefined> {
  const bytes = Buffer.concat(await incoming.toArray());
  const text = bytes.toString();
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
  );
  const type = headers['content-type'] ?? '';
  const parts = partsOf(type, bytes);
  if (parts === 'broken') return undefined;
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers,
    text,
    bytes,
    parts,
    json: parts ? jsonOf(fieldsOf(parts)['payload_json'] ?? '') : jsonOf(text),
    form: type.startsWith('application/x-www-form-urlencoded')
      ? Object.fromEntries(new URLSearchParams(text))
      : parts && fieldsOf(parts),
  };
}

function partsOf(type: string, bytes: Buffer): FormPart[] | 'broken' | undefined {
  try {
    return readForm(type, bytes);
  } catch {
    return 'broken';
  }
}

const fieldsOf = (parts: readonly FormPart[]) =>
  Object.fromEntries(
    parts.flatMap(({ name, filename, bytes }) =>
      filename === undefined ? [[name, bytes.toString()] as const] : [],
    ),
  );

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function write({ status, headers = {}, body }: Reply, outgoing: ServerResponse): void {
  const json = typeof body === 'object';
  outgoing.writeHead(status, { ...(json && { 'content-type': 'application/json' }), ...headers });
  outgoing.end(json ? JSON.stringify(body) : body);
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
