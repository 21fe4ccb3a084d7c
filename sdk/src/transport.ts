import type { Operations } from './api.ts';
import { SwitchboardError, errorFrom, unexpected } from './errors.ts';
import { MAX_TIMER_MS, pause, retryDelay } from './retry.ts';

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, also while it waits for a retry; it then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Timeout of one attempt, in milliseconds. Default: that of the client. */
  timeout?: number;
  /** Maximum number of retries. Default: that of the client. */
  retries?: number;
  /**
   * Makes a POST safe to repeat: within 24 hours, calls with the same key and body take effect once. By default each call
   * gets a random key. Pass your own to be safe across restarts of your process too.
   */
  idempotencyKey?: string;
}

export type OperationName = keyof Operations;

/** Calls without a token. The service supports no idempotency keys for them. */
const TOKENLESS: ReadonlySet<string> = new Set<OperationName>([
  'POST /1/tokens',
  'POST /1/invitations/preview',
  'POST /1/invitations/accept',
]);

/** The parameters and body of a call. */
export type CallInput<Name extends OperationName> = Omit<Operations[Name], 'answer'>;

/** The response of a call. */
export type Answer<Name extends OperationName> = Operations[Name]['answer'];

/** The calls with an empty response. */
export type ActionName = {
  [Name in OperationName]: Answer<Name> extends undefined ? Name : never;
}[OperationName];

/** The calls that return a list. */
export type ListName = {
  [Name in OperationName]: Answer<Name> extends { data: readonly unknown[] } ? Name : never;
}[OperationName];

/** The type of a list's items. */
export type ItemOf<Name extends ListName> = Answer<Name>['data'][number];

interface UntypedInput {
  path?: Readonly<Record<string, number | string>>;
  query?: Readonly<Record<string, string | number | undefined>>;
  body?: unknown;
  /** A serialized body or a file, instead of `body`. */
  json?: string | Blob;
  /** The content type of the serialized body; JSON by default. */
  type?: string;
}

export interface TransportOptions {
  /** Without a trailing slash. */
  url: string;
  token: () => Promise<string | undefined>;
  /** The application that a user acts for. */
  application: number | undefined;
  fetch: typeof fetch;
  timeout: number;
  retries: number;
}

/** The query of a list page. */
export type Cursor = URLSearchParams;

/** A response and its body. */
interface Received {
  text: string;
  response: Response;
}

/** Makes calls, and retries them if that is safe. */
export class Transport {
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /** The address of the service, without a trailing slash. */
  get url(): string {
    return this.#options.url;
  }

  /** Makes any call; returns undefined if the response is empty. */
  async any<Name extends OperationName>(
    name: Name,
    input: CallInput<Name>,
    options: CallOptions = {},
  ): Promise<Answer<Name>> {
    const received = await this.#perform(name, input, options);
    return (received.text === '' ? undefined : objectIn(received)) as Answer<Name>;
  }

  /** Makes a call whose response is a JSON object. */
  async call<Name extends OperationName>(
    name: Name,
    input: CallInput<Name>,
    options: CallOptions = {},
  ): Promise<Answer<Name>> {
    return objectIn(await this.#perform(name, input, options)) as Answer<Name>;
  }

  /** The same, with a serialized body; JSON, unless `type` says otherwise. */
  async post<Name extends OperationName>(
    name: Name,
    json: string,
    options: CallOptions = {},
    type = 'application/json',
  ): Promise<Answer<Name>> {
    return objectIn(await this.#perform(name, { json, type }, options)) as Answer<Name>;
  }

  /** Makes a call whose body is a file. */
  async upload<Name extends OperationName>(
    name: Name,
    input: CallInput<Name>,
    file: Blob,
    options: CallOptions = {},
  ): Promise<Answer<Name>> {
    const type = file.type === '' ? 'application/octet-stream' : file.type;
    return objectIn(
      await this.#perform(name, { ...input, json: file, type }, options),
    ) as Answer<Name>;
  }

  /** Makes a call whose response is empty. */
  async act<Name extends ActionName>(
    name: Name,
    input: CallInput<Name>,
    options: CallOptions = {},
  ): Promise<void> {
    await this.#perform(name, input, options);
  }

  /** Fetches one page of a list, by cursor if given, and the cursor of the next page. */
  async page<Name extends ListName>(
    name: Name,
    input: CallInput<Name>,
    options: CallOptions = {},
    cursor?: Cursor,
  ): Promise<{ data: readonly ItemOf<Name>[]; next: Cursor | undefined }> {
    const received = await this.#perform(name, withCursor(input, cursor), options);
    const { data } = objectIn(received) as { data?: unknown };
    if (!Array.isArray(data)) throw unexpected(received.response, received.text);
    return {
      data: data as readonly ItemOf<Name>[],
      next: nextIn(received.response.headers.get('link')),
    };
  }

  /** Returns the raw response, for files. Its body is unread, and reading it has no timeout. */
  async file<Name extends OperationName>(
    name: Name,
    input: CallInput<Name>,
    options: CallOptions = {},
  ): Promise<Response> {
    return (await this.#perform(name, input, options, false)).response;
  }

  async #perform(
    name: string,
    input: UntypedInput,
    options: CallOptions,
    isText = true,
  ): Promise<Received> {
    const { application } = this.#options;
    const { retries = this.#options.retries, signal } = options;
    const { method, url, headers, body } = requestOf(this.#options.url, name, input, options);
    const isRepeatable = method === 'GET' || 'idempotency-key' in headers;
    for (let failures = 1; ; failures++) {
      signal?.throwIfAborted();
      const token = await this.#options.token();
      const identity = {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(application !== undefined && { 'switchboard-application': String(application) }),
      };
      const init = { method, headers: { ...headers, ...identity }, ...(body && { body }) };
      try {
        return await this.#attempt(url, init, options, isText);
      } catch (error) {
        if (!(error instanceof SwitchboardError) || failures > retries) throw error;
        const delay = retryDelay(error, { isRepeatable, failures, random: Math.random() });
        if (delay === undefined) throw error;
        await pause(delay, signal);
      }
    }
  }

  /** Makes one attempt. The timeout covers headers and body. */
  async #attempt(
    url: string,
    init: RequestInit,
    { signal, timeout = this.#options.timeout }: CallOptions,
    isText: boolean,
  ): Promise<Received> {
    const controller = new AbortController();
    const abort = () => controller.abort();
    const timer = setTimeout(abort, Math.min(timeout, MAX_TIMER_MS));
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const response = await this.#options.fetch(url, {
        ...init,
        signal: controller.signal,
        // Never follow redirects: the token must not reach another server.
        redirect: 'manual',
        credentials: 'omit',
        cache: 'no-store',
      });
      const text = isText || !response.ok ? await response.text() : '';
      if (!response.ok) throw errorFrom(response, text);
      return { response, text };
    } catch (cause) {
      if (cause instanceof SwitchboardError) throw cause;
      signal?.throwIfAborted();
      throw controller.signal.aborted
        ? new SwitchboardError({
            code: 'timeout',
            detail: `no answer within ${timeout / 1000} s from ${new URL(url).origin}`,
            cause,
          })
        : new SwitchboardError({ code: 'no_answer', detail: reasonOf(url, cause), cause });
    } finally {
      clearTimeout(timer);
      // The body of a file is read later, and the signal must still abort it.
      if (isText) signal?.removeEventListener('abort', abort);
    }
  }
}

function requestOf(
  base: string,
  name: string,
  {
    path = {},
    query = {},
    body,
    json = body === undefined ? undefined : JSON.stringify(body),
    type = 'application/json',
  }: UntypedInput,
  { idempotencyKey }: CallOptions,
) {
  const [method = '', template = ''] = name.split(' ');
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, key: string) =>
    encodeURIComponent(String(path[key])),
  );
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined) search.set(key, String(value));
  }
  const isKeyed = method === 'POST' && !TOKENLESS.has(name);
  const headers: Record<string, string> = {
    accept: 'application/json',
    ...(json !== undefined && { 'content-type': type }),
    ...(isKeyed && { 'idempotency-key': idempotencyKey ?? newKey() }),
  };
  const url = `${base}${filled}${search.size > 0 ? `?${search.toString()}` : ''}`;
  return { method, url, headers, body: json };
}

function withCursor(input: UntypedInput, cursor: Cursor | undefined): UntypedInput {
  return cursor ? { ...input, query: { ...input.query, ...Object.fromEntries(cursor) } } : input;
}

/** A random idempotency key. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The JSON object in a response body. */
function objectIn({ response, text }: Received): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Reported below.
  }
  throw unexpected(response, text);
}

/**
 * The query of the next page, from the Link header (RFC 8288). Its host is ignored, because the token may only be sent to
 * the configured address.
 */
function nextIn(link: string | null): Cursor | undefined {
  for (const part of link?.split(/,(?=\s*<)/) ?? []) {
    const [, address, rest = ''] = /^\s*<([^>]*)>(.*)$/.exec(part) ?? [];
    if (address === undefined || !/;\s*rel="?next"?/i.test(rest)) continue;
    return new URLSearchParams(address.slice(address.indexOf('?') + 1));
  }
  return undefined;
}

/** Node puts the reason into a nested `cause`. */
function reasonOf(url: string, cause: unknown): string {
  const words: string[] = [];
  for (let error = cause; error instanceof Error && words.length < 3; error = error.cause) {
    if (error.message !== '') words.push(error.message);
  }
  return `${new URL(url).origin} cannot be reached: ${words.join(': ') || String(cause)}`;
}
