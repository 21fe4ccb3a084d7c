import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';

/**
 * Passes on the lines of a connection, one at a time: the next line waits until the promise of the last one resolves.
 * A line that is too long ends the connection.
 */
export function onLines(
  socket: Socket,
  maxLength: number,
  receive: (line: string) => Promise<void>,
): void {
  const decoder = new StringDecoder('utf8');
  let text = '';
  let last = Promise.resolve();
  socket.on('error', () => {});
  socket.on('data', (bytes: Buffer) => {
    const lines = (text + decoder.write(bytes)).split('\n');
    text = lines.pop() ?? '';
    if (text.length > maxLength) socket.destroy();
    for (const line of lines) {
      last = last.then(async () => {
        if (!socket.destroyed) await receive(line.replace(/\r$/, ''));
      });
    }
    // A bug in a simulator must not end the process; the client sees a closed connection.
    last = last.catch(() => void socket.destroy());
  });
}
