import type { Socket } from 'node:net';

import type { Agent, Dispatcher } from 'undici';

import { type DialOptions, type DialerOptions, createDialer } from '../net/dial.ts';
import { ByteSemaphore } from '../runtime/byte-semaphore.ts';
import { type Download, type DownloadOptions, download } from './download.ts';
import { MAX_RESPONSE_BYTES, exchange } from './exchange.ts';
import { type FetchAnswer, FetchFault, type FetchRequest } from './fetch.ts';
import { type PreparedRequest, prepareRequest } from './request.ts';

export interface HttpClientOptions extends Omit<DialerOptions, 'timeout'> {
  /** Milliseconds for a whole request, from name lookup to the end of the response. */
  deadline?: number;
  /** Milliseconds for name lookup, connection and TLS handshake. */
  connectTimeout?: number;
  /** Maximum connections per origin. */
  connections?: number;
  /** Maximum bytes of files in memory. */
  fileMemory?: number;
}

interface FetchOptions {
  signal: AbortSignal;
  /** A URL set by the operator. Requests to its origin bypass the address guard. */
  trusted?: string;
}

/** Makes all outgoing requests on behalf of tenants. */
export interface HttpClient {
  fetch(
    url: string,
    request: FetchRequest | undefined,
    options: FetchOptions,
  ): Promise<FetchAnswer>;
  /** Like `fetch`, but streams the body. */
  download(
    url: string,
    request: FetchRequest | undefined,
    options: FetchOptions & DownloadOptions,
  ): Promise<Download>;
  /** Limits the memory for downloads that must be held in memory. */
  readonly fileMemory: ByteSemaphore;
  dial(host: string, port: number, options: Omit<DialOptions, 'protocol'>): Promise<Socket>;
  close(): Promise<void>;
}

const MEBIBYTE = 1024 * 1024;

/** Long polls per origin. They have their own connections, so that they do not block other requests. */
const MAX_LONG_POLLS = 10_000;

/** Upload speed to allow for: a request body extends the deadline by its size at this rate. */
const MIN_BYTES_PER_SECOND = MEBIBYTE;

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { deadline = 15_000, connectTimeout = 5000, connections = 128 } = options;
  const fileMemory = new ByteSemaphore(options.fileMemory ?? 64 * MEBIBYTE);
  const dial = createDialer({ ...options, timeout: connectTimeout });
  const closed = new AbortController();

  const openAgent = async (trusted: boolean, isLongPoll: boolean): Promise<Agent> => {
    // Loaded on demand: undici costs time and memory at startup.
    const undici = await import('undici');
    return new undici.Agent({
      connections: isLongPoll ? MAX_LONG_POLLS : connections,
      allowH2: false,
      maxHeaderSize: 32 * 1024,
      keepAliveMaxTimeout: 60_000,
      // `exchange` and `download` enforce their own deadlines.
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
          // The dialer rejects only with a FetchFault.
          (error: unknown) => callback(error as FetchFault, null),
        );
      },
    });
  };
  // Separate agents: they pool connections by origin, and a connection opened to an operator's trusted target must
  // not be reused for a tenant who names the same origin.
  const agents = new Map<string, Promise<Agent>>();
  const agentFor = (trusted: boolean, isLongPoll: boolean): Promise<Dispatcher> => {
    const key = `${trusted} ${isLongPoll}`;
    const agent = agents.get(key) ?? openAgent(trusted, isLongPoll);
    agents.set(key, agent);
    return agent;
  };

  const dispatcherFor = async (
    { origin }: PreparedRequest,
    trusted: string | undefined,
    isLongPoll = false,
  ): Promise<Dispatcher> => {
    if (closed.signal.aborted) throw new FetchFault('the service is stopping', false);
    return agentFor(trusted !== undefined && URL.parse(trusted)?.origin === origin, isLongPoll);
  };

  return {
    fileMemory,
    async fetch(url, request = {}, { signal, trusted }) {
      const prepared = prepareRequest(url, request);
      const { deadline: requestDeadline = deadline, maxBytes = MAX_RESPONSE_BYTES } = request;
      const time = requestDeadline + ((prepared.body?.length ?? 0) / MIN_BYTES_PER_SECOND) * 1000;
      const dispatcher = await dispatcherFor(prepared, trusted, requestDeadline > deadline);
      return exchange(dispatcher, prepared, { signal, deadline: time, maxBytes });
    },
    async download(url, request = {}, { signal, trusted, maxBytes }) {
      const prepared = prepareRequest(url, request);
      const dispatcher = await dispatcherFor(prepared, trusted);
      return download(dispatcher, prepared, { signal, deadline, maxBytes });
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
