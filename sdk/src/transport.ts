import type { Operations } from './api.ts';
import { SwitchboardError, errorFrom, unexpected } from './errors.ts';
import { pause, retryDelay } from './retry.ts';

/** What every call can be told. */
export interface CallOptions {
  /** Ends the call, also while it waits to be made again; it then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** How long one try may take, in milliseconds; 30 seconds unless told otherwise. */
  timeout?: number;
  /** How often it is tried again at the most; 3 times unless told otherwise. */
  retries?: number;
  /**
   * Makes a POST safe to repeat: the same key and body have their effect once, for 24 hours. Each call has
   * one of its own unless you give one, which also holds when your own process starts anew.
   */
  idempotencyKey?: string;
}

export type OperationName = keyof Operations;

/** What takes no token, and so has no key that makes it safe to repeat. */
const TOKENLESS: ReadonlySet<string> = new Set<OperationName>([
  'POST /1/tokens',
  'POST /1/invitations/preview',
  'POST /1/invitations/accept',
]);

/** What a call takes. */
export type Given<Name extends OperationName> = Omit<Operations[Name], 'answer'>;

/** What a call answers. */
export type Answer<Name extends OperationName> = Operations[Name]['answer'];

/** Those that answer nothing but that it is done. */
export type DeedName = {
  [Name in OperationName]: Answer<Name> extends undefined ? Name : never;
}[OperationName];

/** Those that answer a list. */
export type ListName = {
  [Name in OperationName]: Answer<Name> extends { data: readonly unknown[] } ? Name : never;
}[OperationName];

/** What a list is of. */
export type ItemOf<Name extends ListName> = Answer<Name>['data'][number];

interface Loose {
  path?: Readonly<Record<string, number | string>>;
  query?: Readonly<Record<string, string | number | undefined>>;
  body?: unknown;
  /** The body as it goes out, instead of `body`. */
  json?: string;
}

export interface TransportOptions {
  /** Without a slash at its end. */
  url: string;
  token: () => Promise<string | undefined>;
  /** The application that a user acts for. */
  application: number | undefined;
  fetch: typeof fetch;
  timeout: number;
  retries: number;
}

/** What a page of a list is asked with. */
export type Cursor = URLSearchParams;

/** An answer, with what its headers say. */
interface Received {
  text: string;
  response: Response;
}

/** Makes calls, and makes them again where that is safe. */
export class Transport {
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /** Where the service is, without a slash at its end. */
  get url(): string {
    return this.#options.url;
  }

  /** Whatever it answers, if anything. */
  async any<Name extends OperationName>(
    name: Name,
    given: Given<Name>,
    options: CallOptions = {},
  ): Promise<Answer<Name>> {
    const received = await this.#perform(name, given, options);
    return (received.text === '' ? undefined : objectIn(received)) as Answer<Name>;
  }

  /** Asks for something. */
  async call<Name extends OperationName>(
    name: Name,
    given: Given<Name>,
    options: CallOptions = {},
  ): Promise<Answer<Name>> {
    return objectIn(await this.#perform(name, given, options)) as Answer<Name>;
  }

  /** The same, with a body that is written already. */
  async post<Name extends OperationName>(
    name: Name,
    json: string,
    options: CallOptions = {},
  ): Promise<Answer<Name>> {
    return objectIn(await this.#perform(name, { json }, options)) as Answer<Name>;
  }

  /** Has something done. */
  async act<Name extends DeedName>(
    name: Name,
    given: Given<Name>,
    options: CallOptions = {},
  ): Promise<void> {
    await this.#perform(name, given, options);
  }

  /** One page of a list, by the cursor where there is one, and the cursor of the next. */
  async page<Name extends ListName>(
    name: Name,
    given: Given<Name>,
    options: CallOptions = {},
    cursor?: Cursor,
  ): Promise<{ data: readonly ItemOf<Name>[]; next: Cursor | undefined }> {
    const received = await this.#perform(name, withCursor(given, cursor), options);
    const { data } = objectIn(received) as { data?: unknown };
    if (!Array.isArray(data)) throw unexpected(received.response, received.text);
    return {
      data: data as readonly ItemOf<Name>[],
      next: nextIn(received.response.headers.get('link')),
    };
  }

  /** An answer as it comes, for files. Its body is not read yet, and takes as long as it takes. */
  async file<Name extends OperationName>(
    name: Name,
    given: Given<Name>,
    options: CallOptions = {},
  ): Promise<Response> {
    return (await this.#perform(name, given, options, false)).response;
  }

  async #perform(
    name: string,
    given: Loose,
    options: CallOptions,
    isText = true,
  ): Promise<Received> {
    const { application } = this.#options;
    const { retries = this.#options.retries, signal } = options;
    const { method, url, headers, body } = requestOf(this.#options.url, name, given, options);
    const isRepeatable = method === 'GET' || 'idempotency-key' in headers;
    for (let failures = 1; ; failures++) {
      signal?.throwIfAborted();
      const token = await this.#options.token();
      const who = {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(application !== undefined && { 'switchboard-application': String(application) }),
      };
      const init = { method, headers: { ...headers, ...who }, ...(body && { body }) };
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

  /** One try: headers and body within the time that it may take. */
  async #attempt(
    url: string,
    init: RequestInit,
    { signal, timeout = this.#options.timeout }: CallOptions,
    isText: boolean,
  ): Promise<Received> {
    const ending = new AbortController();
    const end = () => ending.abort();
    const timer = setTimeout(end, timeout);
    signal?.addEventListener('abort', end, { once: true });
    try {
      const response = await this.#options.fetch(url, {
        ...init,
        signal: ending.signal,
        // Wherever it leads, the token is not for there.
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
      throw ending.signal.aborted
        ? new SwitchboardError({
            code: 'timeout',
            detail: `no answer within ${timeout / 1000} s from ${new URL(url).origin}`,
            cause,
          })
        : new SwitchboardError({ code: 'no_answer', detail: reasonOf(url, cause), cause });
    } finally {
      clearTimeout(timer);
      // A file is read later, and ends with the signal as well.
      if (isText) signal?.removeEventListener('abort', end);
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
  }: Loose,
  { idempotencyKey }: CallOptions,
) {
  const [method = '', template = ''] = name.split(' ');
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, key: string) =>
    encodeURIComponent(String(path[key])),
  );
  const asked = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined) asked.set(key, String(value));
  }
  const isKeyed = method === 'POST' && !TOKENLESS.has(name);
  const headers: Record<string, string> = {
    accept: 'application/json',
    ...(json !== undefined && { 'content-type': 'application/json' }),
    ...(isKeyed && { 'idempotency-key': idempotencyKey ?? newKey() }),
  };
  const url = `${base}${filled}${asked.size > 0 ? `?${asked.toString()}` : ''}`;
  return { method, url, headers, body: json };
}

function withCursor(given: Loose, cursor: Cursor | undefined): Loose {
  return cursor ? { ...given, query: { ...given.query, ...Object.fromEntries(cursor) } } : given;
}

/** Nobody has had this one before. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The body of an answer that has to have one. */
function objectIn({ response, text }: Received): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // It is said below.
  }
  throw unexpected(response, text);
}

/**
 * What the next page is asked with (RFC 8288). Only what is asked is taken from it, not where: the token is
 * for the address that the client was given.
 */
function nextIn(link: string | null): Cursor | undefined {
  for (const part of link?.split(/,(?=\s*<)/) ?? []) {
    const [, address, rest = ''] = /^\s*<([^>]*)>(.*)$/.exec(part) ?? [];
    if (address === undefined || !/;\s*rel="?next"?/i.test(rest)) continue;
    return new URLSearchParams(address.slice(address.indexOf('?') + 1));
  }
  return undefined;
}

/** Node says what went wrong in the cause of a cause. */
function reasonOf(url: string, cause: unknown): string {
  const words: string[] = [];
  for (let error = cause; error instanceof Error && words.length < 3; error = error.cause) {
    if (error.message !== '') words.push(error.message);
  }
  return `${new URL(url).origin} cannot be reached: ${words.join(': ') || String(cause)}`;
}
