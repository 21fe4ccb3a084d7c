import type { Dispatcher } from 'undici';

import { parseLenientJson } from '../json/parse-json.ts';
import { systemClock } from '../runtime/clock.ts';
import { type FetchAnswer, FetchFault } from './fetch.ts';
import type { PreparedRequest } from './request.ts';

/** Bytes of a response that are read unless the request sets `maxBytes`. */
export const MAX_RESPONSE_BYTES = 64 * 1024;

type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/**
 * Sends a request and reads the whole response. Rejects with a FetchFault whose `maybeSent` is true once the
 * request was assigned a connection.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: PreparedRequest,
  { signal, deadline, maxBytes }: { signal: AbortSignal; deadline: number; maxBytes: number },
): Promise<FetchAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<FetchAnswer>();
  const { host } = request;
  let started: Dispatcher.DispatchController | undefined;
  let head: { status: number; headers: Headers } = { status: 0, headers: {} };
  const chunks: Buffer[] = [];
  let size = 0;
  let over = false;

  const end = (settle: () => void) => {
    if (over) return;
    over = true;
    cancelTimer();
    signal.removeEventListener('abort', onAbort);
    settle();
  };
  const answer = (truncated: boolean) =>
    end(() => {
      // Most responses arrive as one chunk; avoid the copy.
      const [only] = chunks;
      const bytes = only && chunks.length === 1 ? only : Buffer.concat(chunks);
      resolve(toFetchAnswer(head.status, head.headers, bytes.subarray(0, maxBytes), truncated));
    });
  const fail = (message: string, cause?: unknown) =>
    end(() => reject(new FetchFault(message, started !== undefined, cause)));
  const cancel = (message: string) => {
    fail(message);
    started?.abort(new Error('canceled'));
  };
  const onAbort = () => cancel(`the request to ${host} was canceled`);
  const cancelTimer = systemClock.after(deadline, () => cancel(`${host} took too long to answer`));
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort);
  if (over) return promise;

  dispatcher.dispatch(request, {
    onRequestStart(controller) {
      // The caller may have canceled while the request waited for a connection.
      if (over) controller.abort(new Error('canceled'));
      else started = controller;
    },
    onResponseStart(_controller, status, headers) {
      if (status >= 200) head = { status, headers };
    },
    onResponseData(controller, chunk) {
      if (over) return;
      chunks.push(chunk);
      size += chunk.length;
      if (size <= maxBytes) return;
      answer(true);
      controller.abort(new Error('size limit reached'));
    },
    onResponseEnd: () => answer(false),
    onResponseError(_controller, error) {
      if (error instanceof FetchFault) end(() => reject(error));
      else fail(faultMessage(error, host), error);
    },
  });
  return promise;
}

function faultMessage(error: Error, host: string): string {
  const { name, code } = error as Error & { code?: string };
  if (name === 'HTTPParserError' || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') {
    return `${host} answered with something other than HTTP`;
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return `${host} answered with headers that are too long`;
  if (code === 'UND_ERR_DESTROYED') return `the request to ${host} was canceled`;
  return `${host} closed the connection without a complete response`;
}

/** In streaming mode the decoder drops a character that the cut left incomplete. */
function decodeTruncated(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true });
}

/** A response as callers see it. The headers are in lower case. */
export function toFetchAnswer(
  status: number,
  headers: Headers,
  bytes: Buffer,
  truncated: boolean,
): FetchAnswer {
  const text = truncated ? decodeTruncated(bytes) : bytes.toString();
  return {
    status,
    text,
    truncated,
    header(name) {
      const value = headers[name.toLowerCase()];
      return typeof value === 'object' ? value[0] : value;
    },
    json: () => parseLenientJson(text),
  };
}
