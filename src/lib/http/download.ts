import { Readable } from 'node:stream';

import type { Dispatcher } from 'undici';

import { type Cancel, systemClock } from '../runtime/clock.ts';
import { FetchFault, FetchRefusal } from './fetch.ts';
import type { PreparedRequest } from './request.ts';

export interface DownloadOptions {
  signal: AbortSignal;
  /** Maximum size of the body in bytes. */
  maxBytes: number;
}

/**
 * A response whose body streams at the reader's pace. The caller must read it to the end or destroy it. The body
 * fails only with a FetchFault, and with a FetchRefusal if it exceeds the maximum size.
 */
export interface Download {
  status: number;
  /** The first header of this name, case-insensitive. */
  header(name: string): string | undefined;
  body: Readable;
}

/** A file as a stream, or why it is unavailable and whether that is final. */
export type FoundFile =
  | { body: Readable; mediaType?: string; name?: string; size?: number }
  | { fault: string; isGone: boolean };

/** Undici requires a reason to abort. */
const CANCELED = new Error('canceled');

/**
 * Sends a request and resolves once the response headers arrive. `deadline` limits the wait for the headers and for
 * each chunk; `signal` limits the whole download.
 */
export function download(
  dispatcher: Dispatcher,
  { host, ...request }: PreparedRequest,
  { signal, deadline, maxBytes }: DownloadOptions & { deadline: number },
): Promise<Download> {
  const { promise, resolve, reject } = Promise.withResolvers<Download>();
  let started: Dispatcher.DispatchController | undefined;
  let size = 0;
  let isWhole = false;
  let isPaused = false;
  let cancelTimer: Cancel | undefined;

  const body = new Readable({
    read() {
      if (!isPaused) return;
      isPaused = false;
      beginToWait();
      started?.resume();
    },
    destroy(error, callback) {
      cancelTimer?.();
      signal.removeEventListener('abort', onAbort);
      if (!isWhole) started?.abort(CANCELED);
      callback(error);
    },
  });
  // Before the response arrives, this rejects the promise; later it keeps `error` from being unhandled.
  body.on('error', reject);
  const fail = (message: string, cause?: unknown) =>
    body.destroy(new FetchFault(message, false, cause));
  const tooLarge = () =>
    body.destroy(new FetchRefusal(`the file at ${host} is larger than ${maxBytes} bytes`));
  const onAbort = () => fail(`the request to ${host} was canceled`);
  const beginToWait = () => {
    cancelTimer?.();
    cancelTimer = systemClock.after(deadline, () => fail(`${host} took too long to answer`));
  };
  beginToWait();
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort);
  if (body.destroyed) return promise;

  dispatcher.dispatch(request, {
    onRequestStart(controller) {
      // The caller may have canceled while the request waited for a connection.
      if (body.destroyed) controller.abort(CANCELED);
      else started = controller;
    },
    onResponseStart(_controller, status, headers) {
      if (status < 200 || body.destroyed) return;
      const header = (name: string) => {
        const value = headers[name.toLowerCase()];
        return typeof value === 'object' ? value[0] : value;
      };
      if (Number(header('content-length') ?? 0) > maxBytes) return void tooLarge();
      beginToWait();
      resolve({ status, header, body });
    },
    onResponseData(controller, chunk) {
      if (body.destroyed) return;
      size += chunk.length;
      if (size > maxBytes) return void tooLarge();
      beginToWait();
      if (body.push(chunk)) return;
      // The reader is slow now, not the server: stop the timer.
      cancelTimer?.();
      isPaused = true;
      controller.pause();
    },
    onResponseEnd() {
      isWhole = true;
      cancelTimer?.();
      body.push(null);
    },
    onResponseError(_controller, error) {
      if (error instanceof FetchFault) body.destroy(error);
      else fail(`${host} closed the connection without a complete response`, error);
    },
  });
  return promise;
}
