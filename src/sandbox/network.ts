import type { Socket } from 'node:net';
import { Readable } from 'node:stream';

import type { HttpClient } from '../lib/http/client.ts';
import { MAX_RESPONSE_BYTES, toFetchAnswer } from '../lib/http/exchange.ts';
import { FetchFault, FetchRefusal, type FetchRequest } from '../lib/http/fetch.ts';
import { prepareRequest } from '../lib/http/request.ts';
import type { ByteSemaphore } from '../lib/runtime/byte-semaphore.ts';
import { SANDBOX_URL } from '../model/sandbox/sandbox-url.ts';
import { sampleFor } from './samples.ts';
import { type Reply, type Request, readRequest, encodeBody } from './wire/request.ts';

interface SandboxNetworkOptions {
  /** The path of the vendor's base URL. */
  basePath: string;
  /** Other hosts of the vendor. */
  hosts(): Promise<readonly string[]>;
  fileMemory: ByteSemaphore;
  /** Answers a request to the vendor. Rejects with a FetchFault if the answer is lost. */
  answer(request: Request, signal: AbortSignal): Promise<Reply>;
  /** Opens a connection to the vendor's server. */
  connect(host: string, port: number): Promise<Socket>;
}

const SANDBOX_HOST = new URL(SANDBOX_URL).hostname;

/**
 * The network of a sandbox integration. Requests to the vendor are answered in this process; there is no other host:
 * no connection is opened and no name is looked up.
 */
export function sandboxNetwork(options: SandboxNetworkOptions): HttpClient {
  const { basePath, hosts, fileMemory, answer, connect } = options;

  /** Undefined if the vendor is not at that address. */
  const ask = async (
    url: string,
    request: FetchRequest,
    signal: AbortSignal,
  ): Promise<Reply | undefined> => {
    const { origin, host, path, method, headers, body } = prepareRequest(url, request);
    const isVendor = origin === SANDBOX_URL;
    if (!isVendor && !(await hosts()).includes(host)) return undefined;
    if (signal.aborted) throw new FetchFault(`the request to ${host} was canceled`, false);
    const relative =
      isVendor && path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
    const bytes = Buffer.from(body ?? '');
    const length = bytes.length > 0 ? { 'content-length': String(bytes.length) } : {};
    const read = readRequest({
      method,
      path: isVendor ? relative : `${origin}${path}`,
      headers: { host, ...headers, ...length },
      bytes,
    });
    if (!read) return { status: 400, body: 'malformed multipart form' };
    return orAborted(answer(read, signal), signal, host);
  };

  return {
    fileMemory,
    async fetch(url, request = {}, { signal }) {
      const reply = await ask(url, request, signal);
      if (!reply) throw new FetchRefusal('the sandbox has no other hosts than the vendor');
      const { maxBytes = MAX_RESPONSE_BYTES } = request;
      const { headers, bytes } = written(reply);
      const truncated = bytes.length > maxBytes;
      return toFetchAnswer(reply.status, headers, bytes.subarray(0, maxBytes), truncated);
    },
    async download(url, request = {}, { signal, maxBytes }) {
      // Files elsewhere are not fetched: a sample takes their place.
      const reply = (await ask(url, request, signal)) ?? sampleReply(url);
      const { headers, bytes } = written(reply);
      if (bytes.length > maxBytes) {
        throw new FetchRefusal(`the file is larger than ${maxBytes} bytes`);
      }
      return {
        status: reply.status,
        header: (name) => headers[name.toLowerCase()],
        body: Readable.from(bytes.length === 0 ? [] : [bytes]),
      };
    },
    async dial(host, port, { signal }) {
      const isVendor = host === SANDBOX_HOST || (await hosts()).includes(host);
      if (!isVendor) throw new FetchRefusal('the sandbox has no other hosts than the vendor');
      if (signal.aborted) throw new FetchFault(`connecting to ${host} was canceled`, false);
      return connect(host, port);
    },
    async close() {},
  };
}

/** A vendor may take long to answer. */
function orAborted<Value>(answer: Promise<Value>, signal: AbortSignal, host: string) {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(new FetchFault(`the request to ${host} was canceled`, true));
  signal.addEventListener('abort', onAbort);
  return Promise.race([answer, promise]).finally(() =>
    signal.removeEventListener('abort', onAbort),
  );
}

function written(reply: Reply): { headers: Record<string, string>; bytes: Buffer } {
  const { bytes, type } = encodeBody(reply);
  const headers: Record<string, string> = {
    ...(type !== undefined && { 'content-type': type }),
    'content-length': String(bytes.length),
  };
  for (const [name, value] of Object.entries(reply.headers ?? {})) {
    headers[name.toLowerCase()] = value;
  }
  return { headers, bytes };
}

function sampleReply(url: string): Reply {
  const { bytes, mediaType } = sampleFor(url);
  return { status: 200, headers: { 'content-type': mediaType }, body: bytes };
}
