import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/*
 * Keeps a mail server from talking without end. Nodemailer bounds the size of one reply and the silence
 * between two; not how many empty lines there are, nor how long a reply may trickle.
 */

export interface ReplyBounds {
  /** How many bytes may come in answer to what was written last. */
  most?: number;
  /** Milliseconds from the first of these bytes to the last. */
  patience?: number;
}

/** Destroys the socket when too much comes over it for an answer, or for too long. */
export function boundReplies(socket: Socket, bounds: ReplyBounds = {}): void {
  // No letter is waited for as long as that.
  const { most = 64 * 1024, patience = 20_000 } = bounds;
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
    return received <= most && now - since <= patience;
  };
  // Not as a listener, which would get a chunk along with all others: what is too much reaches nobody.
  const push = socket.push.bind(socket);
  socket.push = (chunk: unknown, encoding) => {
    if (isAllowed(chunk)) return push(chunk, encoding);
    socket.destroy();
    return false;
  };
}

/** What goes over TLS on top of this still goes through the socket, where it is counted. */
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
