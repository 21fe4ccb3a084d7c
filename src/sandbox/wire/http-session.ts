import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { Socket } from 'node:net';

import { type WebSocket, WebSocketServer } from 'ws';

/* HTTP over a connection of the sandbox: event streams and WebSockets. Other requests do not come this way. */

/** Answers the requests of a connection. */
export function serveHttp(
  socket: Socket,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): void {
  const server = createServer(answer);
  server.on('upgrade', (_, upgraded) => upgraded.destroy());
  server.emit('connection', socket);
}

const MAX_MESSAGE_BYTES = 1024 * 1024;

/** Accepts a WebSocket. `open` returns false to refuse it. */
export function serveWebSocket(
  socket: Socket,
  open: (request: IncomingMessage) => ((webSocket: WebSocket) => void) | false,
): void {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES });
  const server = createServer((_, response) => void response.writeHead(426).end());
  server.on('upgrade', (request, upgraded, head) => {
    const use = open(request);
    if (use) sockets.handleUpgrade(request, upgraded, head, use);
    else upgraded.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n');
  });
  server.emit('connection', socket);
}
