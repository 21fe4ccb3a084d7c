import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/*
 * Limits the replies of a mail server. Nodemailer limits the size of one reply and the pause between two, but neither
 * the number of empty lines nor the duration of a reply.
 */

export interface ReplyBounds {
  /** Maximum bytes received after each write. */
  max?: number;
  /** Maximum milliseconds from the first of these bytes to the last. */
  timeoutMs?: number;
}

/** Destroys the socket when a reply is too large or takes too long. */
export function boundReplies(socket: Socket, bounds: ReplyBounds = {}): void {
  // Far beyond any reply of a working server.
  const { max = 64 * 1024, timeoutMs = 20_000 } = bounds;
  let written = -1;
  let received = 0;
  let since = 0;
  const isAllowed = (chunk: unknown) => {
    if (!(chunk instanceof Uint8Array)) return true;
    const now = performance.now();
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      received = 0;
      since = now;
    }
    received += chunk.length;
    return received <= max && now - since <= timeoutMs;
  };
  // Not in a listener: the others would get the excess chunk too.
  const push = socket.push.bind(socket);
  socket.push = (chunk: unknown, encoding) => {
    if (isAllowed(chunk)) return push(chunk, encoding);
    socket.destroy();
    return false;
  };
}

/** A stream for TLS, whose bytes still pass through the socket, where they are counted. */
export function passThrough(socket: Socket): Duplex {
  let isFlowing = false;
  const stream = new Duplex({
    read() {
      if (!isFlowing) {
        socket.on('data', (chunk) => {
          if (!stream.push(chunk)) socket.pause();
        });
        socket.on('end', () => stream.push(null));
      }
      isFlowing = true;
      socket.resume();
    },
    write: (chunk: Uint8Array, _, done) => void socket.write(chunk, done),
    final: (done) => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy();
      done(error);
    },
  });
  socket.on('close', () => stream.destroy());
  return stream;
}
