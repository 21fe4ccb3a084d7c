import type { Event } from './api.ts';
import { SwitchboardError } from './errors.ts';
import { readFeed, rest } from './feed.ts';
import { isPassing } from './retry.ts';
import type { Transport } from './transport.ts';

/** What is needed of a WebSocket: the one of every browser, of Node 22 and newer, Bun and Deno. */
export interface WebSocketLike {
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'open' | 'close' | 'error', listener: () => void): void;
  close(): void;
}

export type WebSocketClass = new (url: string) => WebSocketLike;

export interface RealtimeOptions {
  /** Only events of these types. */
  types?: readonly Event['type'][];
  /** The id of the last event that you know; it goes on after that one. Without it, from now on. */
  after?: number;
  /** Ends it, without an error. */
  signal?: AbortSignal;
  /** Called when it goes on after the connection was lost. */
  onRetry?: (error: SwitchboardError) => void;
}

/** What may wait to be taken before the socket is closed; the rest is then asked for again. */
const MOST_WAITING = 1_000;
/** After so many sockets that never opened, although the service is there, something in between lets none pass. */
const MOST_REFUSED = 3;
/** After so long without an event another socket is opened: nobody tells when a connection is dead. */
const SILENCE = 90_000;

/**
 * What happens, as it happens, over a socket. Where a socket was, the next one goes on: each event comes once,
 * in order. Where there are no sockets, or none gets through, by long polling.
 */
export async function* readRealtime(
  transport: Transport,
  Socket: WebSocketClass | undefined,
  options: RealtimeOptions,
): AsyncGenerator<Event, void, undefined> {
  const { types, signal, onRetry } = options;
  let last = options.after;
  let failures = 0;
  let refused = 0;
  const lost = async (error: unknown) => {
    if (!(error instanceof SwitchboardError) || !isPassing(error)) throw error;
    onRetry?.(error);
    await rest(error, ++failures, signal);
  };
  while (!signal?.aborted) {
    let address = '';
    try {
      const asking = { retries: 0, ...(signal && { signal }) };
      const { url, last: now } = await transport.call('GET /1/realtime', {}, asking);
      last ??= now;
      address = addressOf(transport.url, url, last);
    } catch (error) {
      if (signal?.aborted) return;
      await lost(error);
      continue;
    }
    if (!Socket || refused >= MOST_REFUSED) {
      yield* readFeed(transport, { ...options, after: last });
      return;
    }
    const stream = new Stream(Socket, address, signal);
    for await (const event of stream) {
      failures = 0;
      if (event.id <= last) continue;
      last = event.id;
      if (types?.includes(event.type) ?? true) yield event;
    }
    refused = stream.isOpened ? 0 : refused + 1;
    if (stream.isBroken) {
      const detail = 'the socket was closed';
      await lost(new SwitchboardError({ code: 'no_answer', detail }));
    }
  }
}

/** The socket is where the client was told that the service is: that can be reached, and is as safe. */
function addressOf(base: string, told: string, after: number): string {
  const ticket = told.slice(told.lastIndexOf('/') + 1);
  const query = new URLSearchParams({ after: String(after), envelopes: 'true' });
  return `${base.replace(/^http/i, 'ws')}/1/realtime/${encodeURIComponent(ticket)}?${query.toString()}`;
}

/** One socket, until it ends. */
class Stream implements AsyncIterable<Event> {
  isOpened = false;
  /** Whether it ended by itself, and not because there was too much or nothing to do. */
  isBroken = false;
  readonly #waiting: Event[] = [];
  #isOver = false;
  #wake: () => void = () => {};
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #socket: WebSocketLike;
  readonly #signal: AbortSignal | undefined;

  constructor(Socket: WebSocketClass, url: string, signal: AbortSignal | undefined) {
    this.#signal = signal;
    this.#socket = new Socket(url);
    this.#socket.addEventListener('open', () => (this.isOpened = true));
    this.#socket.addEventListener('message', ({ data }) => this.#take(data));
    this.#socket.addEventListener('close', () => this.#end(true));
    this.#socket.addEventListener('error', () => this.#end(true));
    this.#listen();
    signal?.addEventListener('abort', this.#stop);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    try {
      for (;;) {
        const event = this.#waiting.shift();
        if (event) yield event;
        else if (this.#isOver) return;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.#end(false);
    }
  }

  readonly #stop = () => {
    this.#waiting.length = 0;
    this.#end(false);
  };

  #take(data: unknown): void {
    if (this.#isOver) return;
    const event = eventIn(data);
    // What cannot be read is asked for again, and so is what follows it.
    if (!event) return this.#end(true);
    this.#listen();
    this.#waiting.push(event);
    if (this.#waiting.length >= MOST_WAITING) this.#end(false);
    this.#wake();
  }

  #listen(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(false), SILENCE);
  }

  #end(isBroken: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.isBroken = isBroken;
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#stop);
    this.#socket.close();
    this.#wake();
  }
}

function eventIn(data: unknown): Event | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(data);
    const isEvent =
      typeof value === 'object' &&
      value !== null &&
      'id' in value &&
      Number.isSafeInteger(value.id) &&
      'type' in value;
    return isEvent ? (value as Event) : undefined;
  } catch {
    return undefined;
  }
}
