import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';

import type { Static, TSchema } from 'typebox';

import type {
  ApplicationPrincipal,
  Principal,
  SessionPrincipal,
  UserPrincipal,
} from '../../model/account.ts';
import { type Id, parseId } from '../../model/id.ts';
import { Problem, type ProblemCode } from '../../model/problem.ts';
import type { IdempotencyKey } from '../../store/engine.ts';
import type { IdempotencyRecord } from '../../store/messages/idempotency.ts';
import type { ResponseHeader } from '../openapi/response-headers.ts';
import type { Tag } from '../openapi/tags.ts';

/*
 * A route is data: name, callers, input and output. The server, the OpenAPI document, the reference page and
 * the tests over all routes use the same table.
 */

/** The answer of a route, before it is serialized. */
export interface Answer {
  status: number;
  body?: unknown;
  /** The serialized body, instead of `body`: JSON, unless a content-type header says otherwise. */
  text?: string;
  /** A streamed body, instead of `body`; a content-type header names its type. */
  stream?: Readable;
  headers?: Record<string, string>;
}

export type Query = Readonly<Record<string, string | undefined>>;

/** A request as the handler sees it: authenticated, parsed and validated. */
export interface Call<Caller, Body> {
  caller: Caller;
  body: Body;
  /** The raw body text. */
  text: string;
  /** The raw body bytes, for raw routes. */
  bytes: Buffer;
  /** The body as it arrives, for streamed routes. Throws a Problem if it is too large. */
  stream(): AsyncIterable<Buffer>;
  /**
   * For streamed routes, whose Idempotency-Key cannot be compared before the body was read: runs the effect, or returns
   * the answer of the first request.
   */
  onceRead(effect: () => Promise<Answer>): Promise<Answer>;
  method: string;
  /** The requested path and query. */
  url: string;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
  query: Query;
  params: Readonly<Record<string, string>>;
  headers: IncomingHttpHeaders;
  /** The client address, as forwarded by a trusted proxy. */
  ip: string;
  /** The address of the connection, which may be a proxy's. */
  peer: string;
  httpVersion: string;
  /** Origin of the calling page, as far as known. */
  origin(): URL;
  /** Public base URL of the service, without a trailing slash. */
  baseUrl(): string;
  /**
   * The request's span as a `traceparent`; null without tracing. A call without a token starts its span on
   * first use, once its route has authenticated it.
   */
  trace(): string | null;
  /** The idempotency record of the answer, to be stored in the transaction of the effect. */
  once(answer: Answer): IdempotencyRecord | undefined;
  /** The caller's Idempotency-Key, for calls that store it together with messages. */
  claim(): IdempotencyKey | undefined;
}

/**
 * `either` takes a user token, for the team, or an application token, for the application. `session` is the
 * console's cookie, which no call under `/1` accepts.
 */
export type Auth = 'user' | 'application' | 'either' | 'session' | 'none';

export function requiresToken(auth: Auth): boolean {
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
  /** Method name in generated clients. */
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
    /** Response headers beyond the common ones. */
    headers?: readonly ResponseHeader[];
  };
  /** A second successful response, chosen by the query or a header. */
  alternative?: { status: number; description: string; schema?: TSchema };
  /** Problems beyond those common to its kind. */
  problems?: readonly ProblemCode[];
  /** Whether a disabled user or application may call it. */
  evenDisabled?: true;
  /** Whether only the service's own pages may call it, because browsers attach a cookie. */
  sameOrigin?: true;
  bodyOptional?: true;
  /** Whether the route accepts any content type and parses the body itself. */
  raw?: true;
  /** Whether a raw route reads its body as it arrives; see `Call.stream`. */
  streamed?: true;
  /** The content types that a raw route takes. */
  rawTypes?: readonly string[];
  /** Maximum body size in bytes, if not the default. */
  bodyLimit?: number;
  /** Throws for a request that is refused independently of its body, which is then not read. */
  checkBeforeBody?(request: ArrivingRequest): Promise<void>;
  /** Whether its body counts against the budget for vendors. */
  isHook?: true;
  example?: unknown;
}

/** The request before its body is read. */
export type ArrivingRequest = Pick<Call<undefined, unknown>, 'params' | 'headers'>;

export interface Route extends Description {
  auth: Auth;
  body?: TSchema;
  handle(call: Call<Principal | undefined, unknown>): Answer | Promise<Answer>;
}

type Definition<Caller, Schema extends TSchema> = Description & {
  body?: Schema;
  handle(call: Call<Caller, Static<Schema>>): Answer | Promise<Answer>;
};

export function userRoute<Schema extends TSchema>(
  definition: Definition<UserPrincipal, Schema>,
): Route {
  return { ...definition, auth: 'user' };
}

export function applicationRoute<Schema extends TSchema>(
  definition: Definition<ApplicationPrincipal, Schema>,
): Route {
  return { ...definition, auth: 'application' };
}

export function tokenRoute<Schema extends TSchema>(
  definition: Definition<Principal, Schema>,
): Route {
  return { ...definition, auth: 'either' };
}

export function sessionRoute<Schema extends TSchema>(
  definition: Definition<SessionPrincipal, Schema>,
): Route {
  const guarded = definition.method === 'GET' ? {} : ({ sameOrigin: true } as const);
  return { ...definition, ...guarded, auth: 'session' };
}

export function openRoute<Schema extends TSchema>(
  definition: Definition<undefined, Schema>,
): Route {
  return { ...definition, auth: 'none' };
}

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const noContent: Answer = { status: 204 };

export function created(location: string, body: unknown): Answer {
  return { status: 201, body, headers: { location } };
}

/** Whether the route supports Idempotency-Key. */
export function isRepeatable({ method, auth }: Pick<Route, 'method' | 'auth'>): boolean {
  return method === 'POST' && requiresToken(auth);
}

/** The id in the path. A value that is not an int64 is not found. */
export function pathId(call: { params: Readonly<Record<string, string>> }, name = 'id'): Id {
  const id = parseId(call.params[name]);
  if (!id) throw notFound();
  return id;
}

/** A number in the path that may be 0, such as that of an event. */
export function pathNumber(
  call: { params: Readonly<Record<string, string>> },
  name: string,
): number {
  const text = call.params[name] ?? '';
  if (!/^\d{1,15}$/.test(text)) throw notFound();
  return Number(text);
}

export function notFound(what = 'it'): Problem {
  return new Problem('not_found', `${what} does not exist or belongs to another team`);
}
