/** A request to a vendor. */
export interface FetchRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** Whether it is about secrets, and so not to be kept on record. */
  isPrivate?: true;
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

/** Asks another server. Rejects with a FetchFault, and with nothing else, when there is no answer. */
export type Fetch = (url: string, request?: FetchRequest) => Promise<FetchAnswer>;
