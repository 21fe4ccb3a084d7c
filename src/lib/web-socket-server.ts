import type { Duplex } from 'node:stream';

import type { WebSocket } from 'ws';

/** https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1 and the registry of IANA */
export const CLOSES = { stopping: 1001, refused: 1008, fault: 1011, slow: 1013 } as const;

const PING_EVERY = 25_000;
const GOODBYE = 1_000;

/** Says goodbye; whoever does not say it too is not waited for. */
export function part(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, reason);
  setTimeout(() => socket.terminate(), GOODBYE).unref();
}

/** Answers a request for a socket that is not granted. Whoever does not close its side is not waited for. */
export function refuse(socket: Duplex, status: string): undefined {
  const answer = `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`;
  socket.end(answer, () => socket.destroy());
}

/**
 * Asks from time to time whether anybody is there; whoever has not answered by the next time is not. `also` is
 * done each time somebody is.
 */
export function keepAlive(socket: WebSocket, also: () => void = () => {}): () => void {
  let isThere = true;
  socket.on('pong', () => (isThere = true));
  const timer = setInterval(() => {
    if (!isThere) return socket.terminate();
    isThere = false;
    socket.ping();
    also();
  }, PING_EVERY).unref();
  return () => clearInterval(timer);
}
