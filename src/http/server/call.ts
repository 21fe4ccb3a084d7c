import type { FastifyReply, FastifyRequest } from 'fastify';

import type { Tracer } from '../../lib/telemetry/tracing.ts';
import type { Principal } from '../../model/account.ts';
import type { IdempotencyKey } from '../../store/engine.ts';
import type { IdempotencyRecord } from '../../store/messages/idempotency.ts';
import { originOf } from '../auth/origin.ts';
import type { IdempotentRequests } from '../idempotency.ts';
import { requestSpan } from './request-span.ts';
import type { Answer, Call, Query, Route } from './route.ts';

const NO_BYTES = Buffer.alloc(0);

/** Shared by all calls of a route. */
export interface RouteContext {
  route: Route;
  once: IdempotentRequests;
  tracer: Tracer | undefined;
  publicUrl: string | undefined;
}

/** The request as its route sees it. Rarely used values are computed on demand. */
export class RequestCall implements Call<Principal | undefined, unknown> {
  readonly caller: Principal | undefined;
  readonly body: unknown;
  readonly text: string;
  readonly key: IdempotencyKey | undefined;
  /** Whether the route stores its answer for the Idempotency-Key itself. */
  isRecorded = false;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #context: RouteContext;

  constructor(
    request: FastifyRequest,
    reply: FastifyReply,
    key: IdempotencyKey | undefined,
    context: RouteContext,
  ) {
    this.caller = request.caller;
    this.body = request.body;
    this.text = request.text;
    this.key = key;
    this.#request = request;
    this.#reply = reply;
    this.#context = context;
  }

  get bytes(): Buffer {
    return Buffer.isBuffer(this.body) ? this.body : NO_BYTES;
  }

  get method(): string {
    return this.#request.method;
  }

  get url(): string {
    return this.#request.url;
  }

  get query(): Query {
    return this.#request.query as Query;
  }

  get params(): Record<string, string> {
    return this.#request.params as Record<string, string>;
  }

  get headers(): FastifyRequest['headers'] {
    return this.#request.headers;
  }

  get ip(): string {
    return this.#request.ip;
  }

  get peer(): string {
    return this.#request.raw.socket.remoteAddress ?? '';
  }

  get httpVersion(): string {
    return this.#request.raw.httpVersion;
  }

  get signal(): AbortSignal {
    const gone = new AbortController();
    this.#reply.raw.once('close', () => gone.abort());
    return gone.signal;
  }

  origin(): URL {
    return originOf(this.#request);
  }

  baseUrl(): string {
    const { protocol, host } = this.#request;
    return this.#context.publicUrl ?? `${protocol}://${host}`;
  }

  trace(): string | null {
    const { tracer, route } = this.#context;
    if (tracer) this.#request.span ??= requestSpan(tracer, this.#request, route);
    return this.#request.span?.traceparent ?? null;
  }

  once(answer: Answer): IdempotencyRecord | undefined {
    this.isRecorded = true;
    return this.key && this.#context.once.record(this.key, answer);
  }

  claim(): IdempotencyKey | undefined {
    this.isRecorded = true;
    return this.key;
  }
}
