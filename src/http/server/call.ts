import type { Hash } from 'node:crypto';
import { Readable } from 'node:stream';

import type { FastifyReply, FastifyRequest } from 'fastify';

import type { Tracer } from '../../lib/telemetry/tracing.ts';
import type { Principal } from '../../model/account.ts';
import { Problem } from '../../model/problem.ts';
import type { IdempotencyKey } from '../../store/engine.ts';
import type { IdempotencyRecord } from '../../store/messages/idempotency.ts';
import { originOf } from '../auth/origin.ts';
import { type IdempotentRequests, idempotencyKey, requestHash } from '../idempotency.ts';
import { requestSpan } from './request-span.ts';
import type { Answer, Call, Query, Route } from './route.ts';

const NO_BYTES = Buffer.alloc(0);

/** Shared by all calls of a route. */
interface RouteContext {
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
  key: IdempotencyKey | undefined;
  /** The hash of the body, as far as a streamed route has read it. */
  #hash: Hash | undefined;
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

  async *stream(): AsyncGenerator<Buffer> {
    const { bodyLimit = 0 } = this.#context.route;
    if (!(this.body instanceof Readable)) return;
    if (Number(this.headers['content-length'] ?? 0) > bodyLimit) throw tooLarge();
    // A wrong key is refused before the body is read.
    if (this.#keyWith('')) this.#hash = requestHash(this.url);
    let length = 0;
    for await (const bytes of bodyChunks(this.body)) {
      length += bytes.length;
      if (length > bodyLimit) throw tooLarge();
      this.#hash?.update(bytes);
      yield bytes;
    }
  }

  async onceRead(effect: () => Promise<Answer>): Promise<Answer> {
    const { caller } = this;
    this.key = this.#hash && this.#keyWith(this.#hash.digest('base64url'));
    if (!this.key || !caller) return effect();
    return this.#context.once.run(this.key, caller, async () => {
      const answer = await effect();
      return { answer, recorded: this.isRecorded };
    });
  }

  #keyWith(hash: string): IdempotencyKey | undefined {
    const { method, path } = this.#context.route;
    const { 'idempotency-key': key } = this.headers;
    if (key === undefined || !this.caller) return undefined;
    return idempotencyKey(String(key), this.caller, `${method} ${path}`, hash);
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
    const closed = new AbortController();
    this.#reply.raw.once('close', () => closed.abort());
    return closed.signal;
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

const tooLarge = () => new Problem('body_too_large', 'the body exceeds the limit of this endpoint');

/** If the route stops reading early, the rest of the body is discarded, and the connection stays open for the answer. */
async function* bodyChunks(body: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const bytes of body.iterator({ destroyOnReturn: false })) {
      if (Buffer.isBuffer(bytes)) yield bytes;
    }
  } catch {
    throw new Problem('invalid_fields', 'the connection ended before the body');
  } finally {
    // Many clients read the answer only after they have sent everything. Deferred, because the iterator still holds the stream.
    setImmediate(() => body.resume());
  }
}
