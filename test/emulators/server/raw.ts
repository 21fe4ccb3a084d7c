import { once } from 'node:events';
import { type AddressInfo, type Socket, createServer } from 'node:net';

/** A TCP server whose every byte the test decides. */
export interface RawServer extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** All connections so far. */
  readonly sockets: readonly Socket[];
}

export async function listenRaw(onConnection: (socket: Socket) => void): Promise<RawServer> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    // The client may disconnect at any time.
    socket.on('error', () => {});
    onConnection(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Waits until the connection is closed, in any way: `once` would treat a reset as a failure. */
export function whenClosed(socket: Socket | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (!socket || socket.closed) resolve();
    else socket.once('close', () => resolve());
  });
}

/** Repeats the text as fast as the client reads it, until the connection is closed; at most 1 GB. */
export function flood(socket: Socket, text: string): void {
  const chunk = Buffer.from(text.repeat(Math.ceil(2 ** 16 / text.length)));
  const write = () => {
    while (!socket.destroyed && socket.bytesWritten < 2 ** 30) if (!socket.write(chunk)) return;
  };
  socket.on('drain', write);
  write();
}

/** Repeats the text byte by byte until the connection is closed. */
export function drip(socket: Socket, text: string, interval = 5): void {
  let at = 0;
  const timer = setInterval(() => socket.write(text.charAt(at++ % text.length)), interval);
  socket.once('close', () => clearInterval(timer));
}

/** Calls back once the head of each request has arrived, with the bytes so far. */
export function onRequest(socket: Socket, answer: (request: string) => void): void {
  let text = '';
  let size: number | undefined;
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
    size ??= sizeOf(text);
    if (size === undefined || text.length < size) return;
    const request = text;
    text = '';
    size = undefined;
    answer(request);
  });
}

/** The size of a request, once its headers are complete. */
function sizeOf(text: string): number | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  return end + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
}
