import type { Duplex } from 'node:stream';

import type { WebSocket } from 'ws';

/** https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1 and IANA's registry of close codes */
export const CLOSE_CODES = { stopping: 1001, refused: 1008, fault: 1011, slow: 1013 } as const;

const PING_INTERVAL_MS = 25_000;
const CLOSE_TIMEOUT_MS = 1_000;

/** Closes the socket, and terminates it if the peer does not complete the close handshake. */
export function closeSocket(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, reason);
  setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS).unref();
}

/** Rejects an upgrade request. Does not wait for the client to close its side. */
export function refuse(socket: Duplex, status: string): undefined {
  const answer = `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`;
  socket.end(answer, () => socket.destroy());
}

/**
 * Pings the peer periodically and terminates the socket if no pong arrived before the next ping. Calls `onPing` with
 * every ping.
 */
export function keepAlive(socket: WebSocket, onPing: () => void = () => {}): () => void {
  let isAlive = true;
  socket.on('pong', () => (isAlive = true));
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
    onPing();
  }, PING_INTERVAL_MS).unref();
  return () => clearInterval(timer);
}
