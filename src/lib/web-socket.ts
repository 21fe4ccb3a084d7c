import type { Socket } from 'node:net';

import { WebSocket } from 'ws';

import { FetchFault } from './fetch.ts';

export interface WebSocketOptions {
  dial(host: string, port: number, options: { tls: boolean }): Promise<Socket>;
  signal: AbortSignal;
  /** How many bytes a message may have. */
  most: number;
}

/** How long the other side may take to agree, in milliseconds. */
const PATIENCE = 10_000;

/**
 * Opens a web socket over a connection to an address that was judged. RFC 6455
 * Rejects with a FetchFault. It is cut off when the signal says to end. It is paused at first: what is said at once
 * would not be heard by anybody.
 */
export async function openWebSocket(
  url: string,
  { dial, signal, most }: WebSocketOptions,
): Promise<WebSocket> {
  const { protocol, hostname, port } = new URL(url);
  const tls = protocol === 'wss:';
  const connection = await dial(hostname, Number(port) || (tls ? 443 : 80), { tls });
  const socket = new WebSocket(url, {
    createConnection: () => connection,
    handshakeTimeout: PATIENCE,
    maxPayload: most,
    perMessageDeflate: false,
  });
  const end = () => socket.terminate();
  signal.addEventListener('abort', end);
  socket.once('close', () => {
    signal.removeEventListener('abort', end);
    connection.destroy();
  });
  if (signal.aborted) end();
  return new Promise((resolve, reject) => {
    socket.once('open', () => {
      socket.pause();
      resolve(socket);
    });
    // An error comes before the end, which is what is listened for.
    socket.on('error', () => {});
    socket.once('error', (error) =>
      reject(new FetchFault(`no web socket: ${error.message}`, false, error)),
    );
    socket.once('close', () => reject(new FetchFault('the web socket was closed', false)));
  });
}
