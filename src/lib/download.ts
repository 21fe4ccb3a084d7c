import { Readable } from 'node:stream';

import type { Dispatcher } from 'undici';

import { FetchFault, FetchRefusal } from './fetch.ts';
import type { OutgoingRequest } from './outgoing-request.ts';

export interface DownloadOptions {
  signal: AbortSignal;
  /** How many bytes may come. */
  most: number;
}

/**
 * What was answered, with a body that comes as fast as it is taken. Whoever asked takes all of it or
 * destroys it. It fails with a FetchFault, and with nothing else: a FetchRefusal when there is too much of it.
 */
export interface Download {
  status: number;
  /** The first header of that name, in whatever case. */
  header(name: string): string | undefined;
  body: Readable;
}

/** A file that is handed on as it comes; or why it is not to be had, and whether it never will be. */
export type FoundFile =
  | { body: Readable; mediaType?: string; name?: string; size?: number }
  | { fault: string; isGone: boolean };

/** The words for undici, which wants to be told something. */
const GIVEN_UP = new Error('given up');

/**
 * One request and the beginning of its answer. `deadline` is the time until that is there, and from one piece
 * of the body to the next; the time for the whole is up to the signal.
 */
export function download(
  dispatcher: Dispatcher,
  { host, ...request }: OutgoingRequest,
  { signal, deadline, most }: DownloadOptions & { deadline: number },
): Promise<Download> {
  const { promise, resolve, reject } = Promise.withResolvers<Download>();
  let started: Dispatcher.DispatchController | undefined;
  let size = 0;
  let isWhole = false;
  let isPaused = false;
  let timer: NodeJS.Timeout | undefined;

  const body = new Readable({
    read() {
      if (!isPaused) return;
      isPaused = false;
      beginToWait();
      started?.resume();
    },
    destroy(error, callback) {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      if (!isWhole) started?.abort(GIVEN_UP);
      callback(error);
    },
  });
  // Until there is an answer nobody else listens, and afterwards nobody needs to.
  body.on('error', reject);
  const fail = (message: string, cause?: unknown) =>
    body.destroy(new FetchFault(message, false, cause));
  const tooLarge = () =>
    body.destroy(new FetchRefusal(`what is at ${host} is larger than ${most} bytes`));
  const onAbort = () => fail(`the request to ${host} was given up`);
  const beginToWait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => fail(`${host} took too long to answer`), deadline);
  };
  beginToWait();
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort);
  if (body.destroyed) return promise;

  dispatcher.dispatch(request, {
    onRequestStart(controller) {
      // It may have waited for a connection until nobody waited for it any more.
      if (body.destroyed) controller.abort(GIVEN_UP);
      else started = controller;
    },
    onResponseStart(_controller, status, headers) {
      if (status < 200 || body.destroyed) return;
      const header = (name: string) => {
        const value = headers[name.toLowerCase()];
        return typeof value === 'object' ? value[0] : value;
      };
      if (Number(header('content-length') ?? 0) > most) return void tooLarge();
      beginToWait();
      resolve({ status, header, body });
    },
    onResponseData(controller, chunk) {
      if (body.destroyed) return;
      size += chunk.length;
      if (size > most) return void tooLarge();
      beginToWait();
      if (body.push(chunk)) return;
      // From now on it is us who take their time.
      clearTimeout(timer);
      isPaused = true;
      controller.pause();
    },
    onResponseEnd() {
      isWhole = true;
      clearTimeout(timer);
      body.push(null);
    },
    onResponseError(_controller, error) {
      if (error instanceof FetchFault) body.destroy(error);
      else fail(`${host} closed the connection without a complete answer`, error);
    },
  });
  return promise;
}
