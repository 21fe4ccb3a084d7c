import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Answers what ends the connections on which nothing was ever asked. Node takes them for busy, and clients open
 * them ahead of what they may ask later: a stop would wait for them.
 */
export function unusedConnections(server: Server): () => void {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  };
}
