import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';

import { FetchFault } from './fetch.ts';

/* Reads server-sent events. https://html.spec.whatwg.org/multipage/server-sent-events.html */

interface EventStreamOptions {
  dial(host: string, port: number, options: { tls: boolean }): Promise<Socket>;
  headers?: Readonly<Record<string, string>>;
  signal: AbortSignal;
  /** Maximum size of an event in characters. */
  maxEventLength: number;
  /** Milliseconds without any data, not even a comment, after which the stream fails. */
  idleMs: number;
}

interface EventStream {
  status: number;
  /** The data of each event. Ends with the response. Rejects with a FetchFault. */
  events: AsyncIterable<string>;
  close(): void;
}

/** Opens a stream over a connection whose address passed the guard. Rejects with a FetchFault. */
export async function openEventStream(
  url: string,
  { dial, headers, signal, maxEventLength, idleMs }: EventStreamOptions,
): Promise<EventStream> {
  const { protocol, hostname, port, host, pathname, search } = new URL(url);
  const tls = protocol === 'https:';
  const socket = await dial(hostname, Number(port) || (tls ? 443 : 80), { tls });
  const close = () => void socket.destroy();
  signal.addEventListener('abort', close);
  socket.once('close', () => signal.removeEventListener('abort', close));
  socket.setTimeout(idleMs, close);
  if (signal.aborted) close();
  const outgoing = request({
    createConnection: () => socket,
    path: `${pathname}${search}`,
    headers: { host, accept: 'text/event-stream', 'cache-control': 'no-store', ...headers },
  });
  outgoing.end();
  try {
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    // Once the response has begun, its own errors are more specific.
    outgoing.on('error', () => {});
    const events = eventsOf(response, host, maxEventLength);
    return { status: response.statusCode ?? 0, events, close };
  } catch (error) {
    close();
    throw new FetchFault(`${host} closed the connection without a response`, false, error);
  }
}

async function* eventsOf(
  response: IncomingMessage,
  host: string,
  maxEventLength: number,
): AsyncGenerator<string> {
  const reader = new EventReader(maxEventLength, host);
  try {
    for await (const chunk of response) yield* reader.read(chunk as Buffer);
  } catch (error) {
    if (error instanceof FetchFault) throw error;
    throw new FetchFault(`${host} closed the event stream`, false, error);
  }
}

class EventReader {
  readonly #decoder = new StringDecoder('utf8');
  readonly #maxLength: number;
  readonly #host: string;
  /** The pieces of an unfinished line, joined once: each may be one character. */
  #pieces: string[] = [];
  #pending = 0;
  #data: string[] = [];
  #length = 0;

  constructor(maxLength: number, host: string) {
    this.#maxLength = maxLength;
    this.#host = host;
  }

  *read(chunk: Buffer): Generator<string> {
    const [first = '', ...rest] = this.#decoder.write(chunk).split('\n');
    this.#keep(first);
    for (const next of rest) {
      const data = this.#readLine(this.#pieces.join('').replace(/\r$/, ''));
      this.#pieces = [];
      this.#pending = 0;
      if (data !== undefined) yield data;
      this.#keep(next);
    }
  }

  #keep(piece: string): void {
    this.#pending += piece.length;
    if (this.#pending > this.#maxLength) this.#refuse();
    if (piece !== '') this.#pieces.push(piece);
  }

  /** The data of the event that this line ends, if any. Other fields and comments are skipped. */
  #readLine(line: string): string | undefined {
    if (line === '') {
      const data = this.#data.join('\n');
      this.#data = [];
      this.#length = 0;
      return data === '' ? undefined : data;
    }
    const [, value] = /^data:? ?(.*)$/s.exec(line) ?? [];
    if (value === undefined) return undefined;
    this.#length += value.length + 1;
    if (this.#length > this.#maxLength) this.#refuse();
    this.#data.push(value);
    return undefined;
  }

  #refuse(): never {
    throw new FetchFault(`${this.#host} sent an event that is too long`, false);
  }
}
