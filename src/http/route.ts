import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';

import type { Static, TSchema } from 'typebox';

import type {
  ApplicationPrincipal,
  Principal,
  SessionPrincipal,
  UserPrincipal,
} from '../model/account.ts';
import { type Id, parseId } from '../model/id.ts';
import { Problem, type ProblemCode } from '../model/problem.ts';
import type { IdempotencyKey } from '../store/engine.ts';
import type { IdempotencyRecord } from '../store/idempotency.ts';
import type { ResponseHeader } from './response-headers.ts';
import type { Tag } from './tags.ts';

/*
 * A route is data: what it is called, who may call it, what it takes and gives. The server, the OpenAPI
 * document, the reference page and the tests that go over all routes are made from the same table.
 */

/** What a route answers, before it is written to the wire. */
export interface Answer {
  status: number;
  body?: unknown;
  /** The body as it goes out, instead of `body`: JSON, unless a content-type header says otherwise. */
  text?: string;
  /** The body as it comes, instead of `body`; a content-type header says what it is. */
  stream?: Readable;
  headers?: Record<string, string>;
}

export type Query = Readonly<Record<string, string | undefined>>;

/** A request as a route's handler sees it: authenticated, parsed and checked against the schema. */
export interface Call<Caller, Body> {
  caller: Caller;
  body: Body;
  /** The body as it was written. */
  text: string;
  /** The same byte for byte, for a route that reads it raw. */
  bytes: Buffer;
  method: string;
  /** The path and query as they were asked for. */
  url: string;
  /** Aborted when the caller is gone. */
  signal: AbortSignal;
  query: Query;
  params: Readonly<Record<string, string>>;
  headers: IncomingHttpHeaders;
  /** The caller's address, as a trusted proxy says. */
  ip: string;
  /** The address at the other end of the connection, which may be a proxy's. */
  peer: string;
  httpVersion: string;
  /** Where the page is that asks, as far as that can be told. */
  origin(): URL;
  /** Where the outside world reaches the service, without a trailing slash. */
  baseUrl(): string;
  /**
   * The span of the request, as a `traceparent`; null where nothing is traced. A call without a token has one from
   * when it is first asked for: by whoever has found that it is genuine.
   */
  trace(): string | null;
  /** The record of the answer, to be stored in the transaction that has the effect. */
  once(answer: Answer): IdempotencyRecord | undefined;
  /** The caller's Idempotency-Key, for a call that stores it with the messages it makes. */
  claim(): IdempotencyKey | undefined;
}

/**
 * `either` is a token of a user, who is answered for the team, or of an application, for itself. `session` is the cookie
 * of the console, which no call of the interface takes.
 */
export type Auth = 'user' | 'application' | 'either' | 'session' | 'none';

/** Whether a call needs a token. */
export function takesToken(auth: Auth): boolean {
  return auth !== 'session' && auth !== 'none';
}

export interface Parameter {
  name: string;
  description: string;
  schema: Record<string, unknown>;
}

interface Description {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path parameters are written as `:id`. */
  path: string;
  /** The method's name in generated clients. */
  operationId: string;
  tag: Tag;
  summary: string;
  description?: string;
  query?: readonly Parameter[];
  success: {
    status: number;
    description: string;
    schema?: TSchema;
    type?: string;
    /** Headers that it may carry besides those of every answer of its kind. */
    headers?: readonly ResponseHeader[];
  };
  /** Another answer, which the query or a header asks for. */
  alternative?: { status: number; description: string; schema?: TSchema };
  /** What can go wrong beyond what every route of its kind has in common. */
  problems?: readonly ProblemCode[];
  /** Whether it still answers when the caller's user or application is disabled. */
  evenDisabled?: true;
  /** Whether only a page of our own may ask, because a browser sends a cookie along. */
  sameOrigin?: true;
  /** Whether the body may be left out. */
  bodyOptional?: true;
  /** Whether the body is of whatever type, and nobody reads it before the route does. */
  raw?: true;
  /** How many bytes its body may have, where it is not what all have. */
  bodyLimit?: number;
  /** Throws the Problem for a request that is refused whatever its body says; the body is not read then. */
  judge?(arriving: Arriving): Promise<void>;
  /** Whether its body counts as a vendor's, apart from those of everybody else without a token. */
  isHook?: true;
  example?: unknown;
}

/** What is known of a request before its body is read. */
export type Arriving = Pick<Call<undefined, unknown>, 'params' | 'headers'>;

export interface Route extends Description {
  auth: Auth;
  body?: TSchema;
  handle(call: Call<Principal | undefined, unknown>): Answer | Promise<Answer>;
}

type Definition<Caller, Schema extends TSchema> = Description & {
  body?: Schema;
  handle(call: Call<Caller, Static<Schema>>): Answer | Promise<Answer>;
};

/** A call that takes a user token. */
export function userRoute<Schema extends TSchema>(
  definition: Definition<UserPrincipal, Schema>,
): Route {
  return { ...definition, auth: 'user' } as unknown as Route;
}

/** A call that takes an application token. */
export function applicationRoute<Schema extends TSchema>(
  definition: Definition<ApplicationPrincipal, Schema>,
): Route {
  return { ...definition, auth: 'application' } as unknown as Route;
}

/** A call that takes a token of either kind. */
export function tokenRoute<Schema extends TSchema>(
  definition: Definition<Principal, Schema>,
): Route {
  return { ...definition, auth: 'either' } as unknown as Route;
}

/** A call of the console, by whoever is signed in there. */
export function sessionRoute<Schema extends TSchema>(
  definition: Definition<SessionPrincipal, Schema>,
): Route {
  const guarded = { ...(definition.method !== 'GET' && { sameOrigin: true }) };
  return { ...definition, ...guarded, auth: 'session' } as unknown as Route;
}

/** A call that takes no token. */
export function openRoute<Schema extends TSchema>(
  definition: Definition<undefined, Schema>,
): Route {
  return { ...definition, auth: 'none' } as unknown as Route;
}

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const noContent: Answer = { status: 204 };

export function created(location: string, body: unknown): Answer {
  return { status: 201, body, headers: { location } };
}

/** Whether an Idempotency-Key makes it safe to repeat. */
export function isRepeatable({ method, auth }: Pick<Route, 'method' | 'auth'>): boolean {
  return method === 'POST' && takesToken(auth);
}

/** The id in the path. What is no int64 is simply not found. */
export function pathId(call: { params: Readonly<Record<string, string>> }, name = 'id'): Id {
  const id = parseId(call.params[name]);
  if (!id) throw notFound();
  return id;
}

export function notFound(what = 'it'): Problem {
  return new Problem('not_found', `${what} does not exist, or is not yours`);
}
