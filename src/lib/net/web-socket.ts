import type { Socket } from 'node:net';

import { WebSocket } from 'ws';

import { FetchFault } from '../http/fetch.ts';

export interface WebSocketOptions {
  dial(host: string, port: number, options: { tls: boolean }): Promise<Socket>;
  signal: AbortSignal;
  /** Maximum message size in bytes. */
  maxBytes: number;
}

const HANDSHAKE_TIMEOUT_MS = 10_000;

/**
 * Opens a WebSocket (RFC 6455) over a connection whose address passed the guard. Rejects with a FetchFault. The
 * signal terminates the socket. The socket starts paused, so that no message arrives before the caller listens.
 */
export async function openWebSocket(
  url: string,
  { dial, signal, maxBytes }: WebSocketOptions,
): Promise<WebSocket> {
  const { protocol, hostname, port } = new URL(url);
  const tls = protocol === 'wss:';
  const connection = await dial(hostname, Number(port) || (tls ? 443 : 80), { tls });
  const socket = new WebSocket(url, {
    createConnection: () => connection,
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    maxPayload: maxBytes,
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
    // `close` follows every error and is handled below; this prevents an unhandled `error` event.
    socket.on('error', () => {});
    socket.once('error', (error) =>
      reject(new FetchFault(`WebSocket failed: ${error.message}`, false, error)),
    );
    socket.once('close', () => reject(new FetchFault('the WebSocket was closed', false)));
  });
}
