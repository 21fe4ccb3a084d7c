export interface FetchRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Contains secrets: must not be recorded. */
  isPrivate?: true;
  /** Milliseconds, for long polling; other requests use the client's default. */
  deadline?: number;
  /** Maximum number of response bytes to read, if the default is too small. */
  maxBytes?: number;
}

/** A response, read up to the size limit. */
export interface FetchAnswer {
  status: number;
  /** The first header of this name, case-insensitive. */
  header(name: string): string | undefined;
  text: string;
  /** Whether the response exceeded the size limit. */
  truncated: boolean;
  /** The parsed body, or undefined if it is not JSON. */
  json(): unknown;
}

/** The request got no response. */
export class FetchFault extends Error {
  override name = 'FetchFault';
  /** Whether the server may have received the request anyway. */
  readonly maybeSent: boolean;

  constructor(message: string, maybeSent: boolean, cause?: unknown) {
    super(message, { cause });
    this.maybeSent = maybeSent;
  }
}

/** The request failed and a retry would fail too: blocked address, response too large, or invalid URL. */
export class FetchRefusal extends FetchFault {
  constructor(message: string) {
    super(message, false);
  }
}

/** Wraps work that precedes sending the message: if it fails, the message was certainly not sent. */
export async function beforeSending<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof FetchFault && error.maybeSent
      ? new FetchFault(error.message, false, error)
      : error;
  }
}

/** Sends a request. Rejects only with a FetchFault, if there is no response. */
export type Fetch = (url: string, request?: FetchRequest) => Promise<FetchAnswer>;
