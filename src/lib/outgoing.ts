import type { Socket } from 'node:net';

import type { Agent, Dispatcher } from 'undici';

import { type DialOptions, type DialerOptions, createDialer } from './dial.ts';
import { type Download, type DownloadOptions, download } from './download.ts';
import { MOST_BYTES, exchange } from './exchange.ts';
import { type FetchAnswer, FetchFault, type FetchRequest } from './fetch.ts';
import { type OutgoingRequest, prepareRequest } from './outgoing-request.ts';
import { Room } from './room.ts';

export interface OutgoingOptions extends Omit<DialerOptions, 'timeout'> {
  /** Milliseconds for a whole request, from the look-up of the name to the end of the answer. */
  deadline?: number;
  /** Milliseconds of it in which a connection must be there. */
  connectTimeout?: number;
  /** How many connections one origin is given. */
  connections?: number;
  /** How many bytes of files may be in memory at once. */
  room?: number;
}

export interface FetchOptions {
  signal: AbortSignal;
  /** A URL that the operator set. What has its origin may be anywhere; nothing else may. */
  trusted?: string;
}

/** Everything that goes out on a tenant's behalf goes through here. */
export interface OutgoingNetwork {
  fetch(
    url: string,
    request: FetchRequest | undefined,
    options: FetchOptions,
  ): Promise<FetchAnswer>;
  /** As `fetch` does, but for the body, which is not read before somebody takes it. */
  download(
    url: string,
    request: FetchRequest | undefined,
    options: FetchOptions & DownloadOptions,
  ): Promise<Download>;
  /** For what is downloaded and has to be in memory: no more than this at once. */
  readonly room: Room;
  dial(host: string, port: number, options: Omit<DialOptions, 'protocol'>): Promise<Socket>;
  close(): Promise<void>;
}

const MEBIBYTE = 1024 * 1024;

/** How many requests one origin is given that may wait for their answer: they keep no others waiting. */
const MOST_WAITING = 10_000;

/** Bytes a second: what has a body may take longer than `deadline`, if it is not slower than this. */
const SLOWEST = MEBIBYTE;

export function createOutgoing(options: OutgoingOptions): OutgoingNetwork {
  const { deadline = 15_000, connectTimeout = 5000, connections = 128 } = options;
  const room = new Room(options.room ?? 64 * MEBIBYTE);
  const dial = createDialer({ ...options, timeout: connectTimeout });
  const closed = new AbortController();

  const openAgent = async (trusted: boolean, waits: boolean): Promise<Agent> => {
    // Only now: it takes time and memory that a start should not.
    const undici = await import('undici');
    return new undici.Agent({
      connections: waits ? MOST_WAITING : connections,
      allowH2: false,
      maxHeaderSize: 32 * 1024,
      keepAliveMaxTimeout: 60_000,
      // Whoever asks has a deadline for all of it.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect({ protocol, hostname, port }, callback) {
        const tls = protocol === 'https:';
        dial(hostname, Number(port) || (tls ? 443 : 80), {
          tls,
          protocol: 'http/1.1',
          signal: closed.signal,
          trusted,
        }).then(
          (socket) => callback(null, socket),
          // A dialer rejects with a FetchFault and with nothing else.
          (error: unknown) => callback(error as FetchFault, null),
        );
      },
    });
  };
  // Apart from each other, since connections are kept by origin: what was opened because the operator
  // chose it must not be there for a tenant who names the same origin.
  const agents = new Map<string, Promise<Agent>>();
  const agentFor = (trusted: boolean, waits: boolean): Promise<Dispatcher> => {
    const key = `${trusted} ${waits}`;
    const agent = agents.get(key) ?? openAgent(trusted, waits);
    agents.set(key, agent);
    return agent;
  };

  const dispatcherFor = async (
    { origin }: OutgoingRequest,
    trusted: string | undefined,
    waits = false,
  ): Promise<Dispatcher> => {
    if (closed.signal.aborted) throw new FetchFault('the service is stopping', false);
    return agentFor(trusted !== undefined && URL.parse(trusted)?.origin === origin, waits);
  };

  return {
    room,
    async fetch(url, request = {}, { signal, trusted }) {
      const prepared = prepareRequest(url, request);
      const { deadline: patience = deadline, most = MOST_BYTES } = request;
      const time = patience + ((prepared.body?.length ?? 0) / SLOWEST) * 1000;
      const dispatcher = await dispatcherFor(prepared, trusted, patience > deadline);
      return exchange(dispatcher, prepared, { signal, deadline: time, most });
    },
    async download(url, request = {}, { signal, trusted, most }) {
      const prepared = prepareRequest(url, request);
      const dispatcher = await dispatcherFor(prepared, trusted);
      return download(dispatcher, prepared, { signal, deadline, most });
    },
    async dial(host, port, { signal, ...rest }) {
      return dial(host, port, { ...rest, signal: AbortSignal.any([signal, closed.signal]) });
    },
    async close() {
      closed.abort();
      for (const agent of agents.values()) await (await agent).destroy();
    },
  };
}
