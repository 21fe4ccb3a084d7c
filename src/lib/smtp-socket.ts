import type { Socket } from 'node:net';

/*
 * Keeps a mail server from talking without end. Nodemailer bounds the size of one reply and the silence
 * between two; not how many empty lines there are, nor how long a reply may trickle.
 */

export interface ReplyBounds {
  /** How many bytes may come in answer to what was written last. */
  most?: number;
  /** Milliseconds after which nothing that comes can be the answer to it. */
  patience?: number;
  /** Milliseconds from one look to the next. */
  interval?: number;
}

/**
 * Destroys the socket when too much comes over it, or comes too late. It looks at counters only: to read
 * along would take what comes first from whoever is given the socket, and after STARTTLS there is nothing
 * to read here.
 */
export function boundReplies(socket: Socket, bounds: ReplyBounds = {}): void {
  // No letter is waited for as long as that.
  const { most = 64 * 1024, patience = 20_000, interval = 100 } = bounds;
  let written = socket.bytesWritten;
  let readBefore = socket.bytesRead;
  let read = readBefore;
  let since = performance.now();
  const look = () => {
    const isLate = socket.bytesRead > read && performance.now() - since > patience;
    read = socket.bytesRead;
    if (isLate || read - readBefore > most) socket.destroy();
    if (socket.bytesWritten === written) return;
    written = socket.bytesWritten;
    readBefore = read;
    since = performance.now();
  };
  const timer = setInterval(look, interval).unref();
  socket.once('close', () => clearInterval(timer));
}
