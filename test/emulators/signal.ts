import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, type Socket, createServer } from 'node:net';

import {
  refusedAs as refused,
  result,
  resultAs,
  rpcError,
} from '../../src/sandbox/vendors/signal/calls.ts';
import { serveEvents, writeEnvelope } from '../../src/sandbox/vendors/signal/events.ts';
import { VERSION_MS, signal as simulator } from '../../src/sandbox/vendors/signal/simulator.ts';
import { type HttpPeer, type Reply, openHttp } from './server/http.ts';
import { MemoryPhone } from './server/memory-phone.ts';

/* The simulator of signal-cli's HTTP daemon, with the peers and files that tests need. */

export const ACCOUNT = simulator.credentials.username ?? '';
export const PEERS = {
  number: '+4915112345678',
  uuid: '11111111-2222-4333-8444-555555555555',
  username: 'u:ada_l.01',
  group: 'group:exampleGroupIdOfSignalAAAAAAAAAAAAAAAAAAAAA=',
  unregistered: '+4915199999999',
} as const;
/** The id of the first message sent. */
export const FIRST = '1794700800001';
/** A message sent before. */
export const BEFORE = '1794700000000';
/** A received file. */
export const FILE = { id: 'gXBq7Vbm8fVvZkEm.png', bytes: Buffer.from('a received image') };

/** The version of that message after an edit. */
export const EDITED = String(Number(BEFORE) + VERSION_MS);

export { result, resultAs, rpcError };

/** The error for a message that reached nobody. */
export const refusedAs = (code: number, type: string, more = {}): Reply =>
  refused(code, type, Number(FIRST), more);

export async function openSignal(): Promise<HttpPeer> {
  const phone = new MemoryPhone();
  phone.put(PEERS.number, BEFORE, { text: 'before' });
  await phone.putFile({ ...FILE, name: 'a.png', mediaType: 'image/png' });
  return openHttp((request) => {
    const to = simulator.recipientOf(request);
    if (to === PEERS.unregistered) return refusedAs(-1, 'UNREGISTERED_FAILURE');
    const isUnknown = to?.startsWith('group:') === true && to !== PEERS.group;
    if (isUnknown) return rpcError(-1, `Group not found: ${to.slice(6)}`);
    return simulator.respond(request, phone);
  });
}

/** The event stream of the simulator, on a port; tests write the envelopes. */
export async function openSignalEvents() {
  const streams = new Set<ServerResponse>();
  const sockets = new Set<Socket>();
  const seen: { url: string | undefined; authorization: string | undefined }[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    serveEvents(socket, (stream, { url, headers }) => {
      seen.push({ url, authorization: headers.authorization });
      streams.add(stream);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    isOpen: () => streams.size > 0,
    write: (text: string) => {
      for (const stream of streams) stream.write(text);
    },
    receive: (envelope: object, more: object = {}) => {
      for (const stream of streams) writeEnvelope(stream, envelope, more);
    },
    end: () => {
      for (const stream of streams) stream.end();
    },
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
