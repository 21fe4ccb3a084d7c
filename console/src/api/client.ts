import { Unreachable, readProblem } from './problem.ts';
import { currentToken, forgetToken, sessionEnded } from './token.ts';

/** Query parameters; undefined and empty values are left out. */
export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>;

export interface CallOptions {
  /** Application to act for, on routes of an application. */
  application?: number | undefined;
  query?: QueryValues;
  body?: unknown;
  /** A body that is sent as it is, instead of `body`. */
  file?: { bytes: Blob; type: string };
  signal?: AbortSignal | undefined;
  /** Makes the call safe to repeat. */
  idempotencyKey?: string;
}

/** A page of a list and the cursor of the next one. */
export interface Page<Item> {
  items: Item[];
  /** For `starting_after`, or `before` in the feed; undefined at the end of the list. */
  next: number | undefined;
}

interface TextPage {
  text: string;
  next: number | undefined;
  /** `next` as text, for lists whose entries are not numbered. */
  cursor: string | undefined;
}

/** API calls as the signed-in user. */
export const api = {
  get: async <Body>(path: string, options?: CallOptions): Promise<Body> =>
    (await call('GET', path, options)).json() as Promise<Body>,

  text: async (path: string, options?: CallOptions): Promise<string> =>
    (await call('GET', path, options)).text(),

  blob: async (path: string, options?: CallOptions): Promise<Blob> =>
    (await call('GET', path, options)).blob(),

  /** Fetches a file; empty if it is larger than `maxBytes`. */
  async smallBlob(path: string, maxBytes: number, options?: CallOptions): Promise<Blob> {
    const response = await call('GET', path, options);
    const reader = response.body?.getReader();
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    for (let size = 0; reader;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      if (size > maxBytes) {
        await reader.cancel();
        return new Blob();
      }
      chunks.push(value);
    }
    return new Blob(chunks, { type: response.headers.get('content-type') ?? '' });
  },

  /** Fetches one page of a list. */
  async list<Item>(path: string, options?: CallOptions): Promise<Page<Item>> {
    const response = await call('GET', path, options);
    const { data } = (await response.json()) as { data: Item[] };
    return { items: data, next: nextOf(response.headers.get('link')) };
  },

  /** Fetches one page of a list as text, for numbers that JavaScript would round. */
  async listText(path: string, options?: CallOptions): Promise<TextPage> {
    const response = await call('GET', path, options);
    const link = response.headers.get('link');
    return { text: await response.text(), next: nextOf(link), cursor: cursorOf(link) };
  },

  post: async <Body = undefined>(path: string, body?: unknown, options?: CallOptions) =>
    parseBody<Body>(await call('POST', path, { body: body ?? {}, ...options })),

  /** Sends a file. */
  upload: async <Body>(path: string, file: { bytes: Blob; type: string }, options?: CallOptions) =>
    parseBody<Body>(await call('POST', path, { file, ...options })),

  put: async <Body = undefined>(path: string, body: unknown, options?: CallOptions) =>
    parseBody<Body>(await call('PUT', path, { body, ...options })),

  delete: async <Body = undefined>(path: string, options?: CallOptions) =>
    parseBody<Body>(await call('DELETE', path, options)),
};

/** A call without a token, for people who are not signed in. */
export async function openPost<Body>(path: string, body: unknown): Promise<Body> {
  const response = await fetch(path, {
    method: 'POST',
    credentials: 'omit',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new Unreachable();
  });
  if (!response.ok) throw await readProblem(response);
  return response.json() as Promise<Body>;
}

async function parseBody<Body>(response: Response): Promise<Body> {
  const text = await response.text();
  return (text === '' ? undefined : JSON.parse(text)) as Body;
}

async function call(method: string, path: string, options: CallOptions = {}): Promise<Response> {
  const url = path + queryString(options.query);
  let response = await request(method, url, options);
  if (response.status === 401) {
    // Signing out elsewhere revokes tokens. Requesting a new one shows whether the session is still valid.
    forgetToken();
    response = await request(method, url, options);
    if (response.status === 401) throw sessionEnded();
  }
  if (!response.ok) throw await readProblem(response);
  return response;
}

async function request(method: string, url: string, options: CallOptions): Promise<Response> {
  const { application, body, file, signal, idempotencyKey } = options;
  const token = await currentToken();
  try {
    return await fetch(url, {
      method,
      credentials: 'omit',
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(file && { 'content-type': file.type }),
        ...(application !== undefined && { 'switchboard-application': String(application) }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(file && { body: file.bytes }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Unreachable();
  }
}

function queryString(values: QueryValues = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== '') query.set(name, String(value));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** Cursor of the next page, from the Link header (RFC 8288). */
function cursorOf(link: string | null): string | undefined {
  const [, url = ''] = /<([^>]*)>; rel="next"/.exec(link ?? '') ?? [];
  const query = URL.parse(url)?.searchParams;
  return query?.get('starting_after') ?? query?.get('before') ?? undefined;
}

function nextOf(link: string | null): number | undefined {
  const cursor = cursorOf(link);
  return cursor === undefined ? undefined : Number(cursor);
}
