import type { Event } from './api.ts';
import { SwitchboardError } from './errors.ts';
import { readFeed, waitBeforeRetry } from './feed.ts';
import { isTransient } from './retry.ts';
import type { Transport } from './transport.ts';

/** The part of WebSocket that the client uses. Browsers, Node 22 and newer, Bun and Deno have it. */
export interface WebSocketLike {
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'open' | 'close' | 'error', listener: () => void): void;
  close(): void;
}

export type WebSocketClass = new (url: string) => WebSocketLike;

export interface RealtimeOptions {
  /** Only events of these types. */
  types?: readonly Event['type'][];
  /** The id of the last event you processed. Default: only new events. */
  after?: number;
  /** Ends the iteration without an error. */
  signal?: AbortSignal;
  /** Called before it reconnects. */
  onRetry?: (error: SwitchboardError) => void;
}

/** Buffered events at which the socket is closed. The rest is requested again once these are consumed. */
const MAX_BUFFERED = 1_000;
/** After this many sockets that never opened while the service was reachable, a proxy presumably blocks them. */
const MAX_REFUSED = 3;
/** After this long without an event the client opens a new socket, because the old connection may be dead unnoticed. */
const MAX_SILENCE_MS = 90_000;

/**
 * Yields new events over a WebSocket. Each socket continues after the last event of the one before, so every event comes
 * once and in order. Falls back to long polling if WebSockets are unavailable or blocked.
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
  const onFailure = async (error: unknown) => {
    if (!(error instanceof SwitchboardError) || !isTransient(error)) throw error;
    onRetry?.(error);
    await waitBeforeRetry(error, ++failures, signal);
  };
  while (!signal?.aborted) {
    let address = '';
    try {
      const callOptions = { retries: 0, ...(signal && { signal }) };
      const { url, last: now } = await transport.call('GET /1/realtime', {}, callOptions);
      last ??= now;
      address = addressOf(transport.url, url, last);
    } catch (error) {
      if (signal?.aborted) return;
      await onFailure(error);
      continue;
    }
    if (!Socket || refused >= MAX_REFUSED) {
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
      await onFailure(new SwitchboardError({ code: 'no_answer', detail }));
    }
  }
}

/** Uses the configured address of the service: it is known to be reachable, and as secure as the user chose. */
function addressOf(base: string, socketUrl: string, after: number): string {
  const ticket = socketUrl.slice(socketUrl.lastIndexOf('/') + 1);
  const query = new URLSearchParams({ after: String(after), envelopes: 'true' });
  return `${base.replace(/^http/i, 'ws')}/1/realtime/${encodeURIComponent(ticket)}?${query.toString()}`;
}

/** One socket, until it ends. */
class Stream implements AsyncIterable<Event> {
  isOpened = false;
  /** Whether the connection failed, rather than being closed by the client. */
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
    // Reconnects after an unreadable event, so that it and those after it are sent again.
    if (!event) return this.#end(true);
    this.#listen();
    this.#waiting.push(event);
    if (this.#waiting.length >= MAX_BUFFERED) this.#end(false);
    this.#wake();
  }

  #listen(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(false), MAX_SILENCE_MS);
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
