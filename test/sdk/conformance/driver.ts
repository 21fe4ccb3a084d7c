import type {
  Activity,
  Category,
  Composable,
  Event,
  EventOf,
  Message,
  MessageOptions,
} from '../../../sdk/src/index.ts';

/* What the conformance list asks of a client, in a form that suits any language. */

/** The arguments of all operations, by name. */
export interface Given {
  url: string;
  token?: string;
  key?: { id: number; secret: string };
  /** In seconds. */
  timeout?: number;
  retries?: number;
  id: number;
  object_id: string;
  idempotency_key?: string;
  category?: Category;
  message: Short | Activity | { message: Short | Activity; options?: MessageOptions };
  messages: Given['message'][];
  event: EventOf<'message.received'>;
  text: string;
  privately?: boolean;
  channel: string;
  username?: string;
  name: string;
  email: string;
  password: string;
  to: string;
  via?: string;
  limit?: number;
  state?: Message['state'];
  after?: number;
  types?: Event['type'][];
  count: number;
  family: string;
  address: string;
  consent_state: 'granted' | 'revoked';
  /** Of a template, by language; English is the default. */
  contents: Record<string, { content: string }>;
  version?: number;
  parameters: Record<string, string>;
  channels: string[];
  policies: { consent: { double_opt_in: boolean } };
  body: string;
  headers: Record<string, string>;
  secrets: string[];
  /** In seconds since 1970. */
  now: number;
  tolerance?: number;
  mode?: 'live' | 'sandbox';
  /** What the phone shows. */
  wanted: string;
  /** The id of a message on the phone. */
  entry: number;
  button: string;
  emoji: string;
  receipt: 'delivered' | 'read' | 'failed';
  /** The address of a person. */
  person?: string;
  faults: 'unknown'[];
  other_id: number;
  address_id: number;
  /** Ids of integrations. */
  members: number[];
  send_at: string;
}

/** A message in short form. */
export type Short = Omit<Composable, 'buttons' | 'expires'> & {
  buttons?: (string | { name: string; url?: string; value?: string })[];
  expires?: string;
};

export interface CallFailure {
  kind: 'call' | 'webhook' | 'usage';
  text: string;
  code?: string;
  status?: number;
  detail?: string;
  errors?: { pointer: string; detail: string }[];
  requestId?: string | null;
  retryAfter?: number | null;
  accepted?: number;
}

/** The value that a call returned, or why it failed. */
export interface Outcome {
  value?: unknown;
  error?: CallFailure;
}

export interface Driver extends AsyncDisposable {
  /** Makes a call of the client that was opened last, or calls a function of the library. */
  ask(op: string, given: Partial<Given>): Promise<Outcome>;
}
