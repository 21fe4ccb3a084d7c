import { connect } from 'node:net';

/** A raw socket, for requests that no HTTP client would send. */
export interface RawConnection extends Disposable {
  send(text: string): void;
  /** Everything received until the other side closed the connection. */
  closed: Promise<string>;
  /** Waits until the response so far matches. */
  answered(pattern: RegExp): Promise<string>;
}

export async function openConnection(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  const closed = Promise.withResolvers<string>();
  // A reset counts as a close; what was received before it is kept.
  socket.on('error', () => {});
  socket.on('data', (bytes) => (text += bytes.toString()));
  socket.on('close', () => closed.resolve(text));
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve).once('error', reject);
  });
  return {
    send: (bytes) => void socket.write(bytes),
    closed: closed.promise,
    answered: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => pattern.test(text) && resolve(text);
        socket.on('data', look);
        socket.once('close', () => reject(new Error(`closed without ${pattern}: ${text}`)));
        look();
      }),
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

/** Parses a raw response with a JSON body. */
export function parseAnswer(text: string) {
  const [head = '', body = ''] = text.split('\r\n\r\n', 2);
  const [first = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  return { status, headers, problem: JSON.parse(body) as Record<string, unknown> };
}
