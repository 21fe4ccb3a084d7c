/** A request to a vendor. */
export interface FetchRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Whether it is about secrets, and so not to be kept on record. */
  isPrivate?: true;
  /** Milliseconds until it is given up, where the other side answers only when there is something to say. */
  deadline?: number;
  /** How many bytes of the answer are read, where those that are usual would not do. */
  most?: number;
}

/** What was answered, as far as it was read. */
export interface FetchAnswer {
  status: number;
  /** The first header of that name, in whatever case. */
  header(name: string): string | undefined;
  text: string;
  /** Whether there was more than was read. */
  truncated: boolean;
  /** The body as JSON; undefined when it is none. */
  json(): unknown;
}

/** There was no answer. */
export class FetchFault extends Error {
  override name = 'FetchFault';
  /** Whether the other side may have got the request nevertheless. */
  readonly perhapsSent: boolean;

  constructor(message: string, perhapsSent: boolean, cause?: unknown) {
    super(message, { cause });
    this.perhapsSent = perhapsSent;
  }
}

/** There is no answer, and none to be had: not from there, not so large, not with such a URL. */
export class FetchRefusal extends FetchFault {
  constructor(message: string) {
    super(message, false);
  }
}

/** For what goes before the message itself: whatever becomes of that, no message was sent. */
export async function beforehand<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof FetchFault && error.perhapsSent
      ? new FetchFault(error.message, false, error)
      : error;
  }
}

/** Asks another server. Rejects with a FetchFault, and with nothing else, when there is no answer. */
export type Fetch = (url: string, request?: FetchRequest) => Promise<FetchAnswer>;
