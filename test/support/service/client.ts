import assert from 'node:assert/strict';

import Type, { type TSchema } from 'typebox';
import { Compile } from 'typebox/schema';

import { problemsOf } from '../../../src/http/openapi/document.ts';
import { EventSchema } from '../../../src/http/openapi/event-schemas.ts';
import type { Route } from '../../../src/http/server/route.ts';
import { PROBLEMS, type ProblemCode } from '../../../src/model/problem.ts';

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed JSON body; undefined if there is none. */
  body: any;
}

export interface RequestOptions {
  headers?: Record<string, string>;
  /** The body, sent unchanged. */
  raw?: string | Uint8Array;
  /** The body, sent as JSON. */
  json?: unknown;
}

/** Error codes that any route may return. */
const EVERYWHERE: readonly ProblemCode[] = [
  'not_found',
  'method_not_allowed',
  'bad_request',
  'store_unavailable',
];

const envelope = Type.Object({
  id: Type.Integer(),
  type: Type.String(),
  timestamp: Type.String(),
  data: Type.Unknown(),
});
const envelopes = Type.Object({ data: Type.Array(envelope) });

/** Tests of the feed store made-up events, so only the envelope is checked here; `eventsOf` checks real events. */
function standIn(schema: TSchema): TSchema {
  if (schema === EventSchema) return envelope;
  const { properties } = schema as { properties?: { data?: { items?: unknown } } };
  return properties?.data?.items === EventSchema ? envelopes : schema;
}

const checks = new WeakMap<object, (value: unknown) => boolean>();
const patterns = new WeakMap<Route, RegExp>();

/** Calls the service over HTTP, and checks every response against the documentation of its route. */
export class Client {
  readonly url: string;
  readonly token: string | undefined;
  readonly #routes: readonly Route[];
  /** Headers of every request. */
  readonly #headers: Record<string, string>;

  constructor(
    url: string,
    routes: readonly Route[],
    token: string | undefined,
    headers: Record<string, string> = {},
  ) {
    this.url = url;
    this.token = token;
    this.#routes = routes;
    this.#headers = headers;
  }

  /** The same caller, with these headers on every request. */
  with(headers: Record<string, string>): Client {
    return new Client(this.url, this.#routes, this.token, { ...this.#headers, ...headers });
  }

  get(path: string, options?: RequestOptions): Promise<Reply> {
    return this.request('GET', path, options);
  }

  post(path: string, json?: unknown, options: RequestOptions = {}): Promise<Reply> {
    return this.request('POST', path, { ...options, ...(json !== undefined && { json }) });
  }

  put(path: string, json?: unknown, options: RequestOptions = {}): Promise<Reply> {
    return this.request('PUT', path, { ...options, ...(json !== undefined && { json }) });
  }

  delete(path: string, options?: RequestOptions): Promise<Reply> {
    return this.request('DELETE', path, options);
  }

  async request(method: string, path: string, options: RequestOptions = {}): Promise<Reply> {
    const { headers = {}, raw, json } = options;
    const body = raw ?? (json === undefined ? undefined : JSON.stringify(json));
    const response = await fetch(this.url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...this.#headers,
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    const isJson = /\bjson/.test(response.headers.get('content-type') ?? '');
    const reply = {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? (JSON.parse(text) as unknown) : undefined,
    };
    this.#check(method, path, reply);
    return reply;
  }

  #check(method: string, path: string, reply: Reply): void {
    const plain = path.split('?', 1)[0] ?? '';
    const route = this.#routes.find(
      (candidate) => candidate.method === method && patternOf(candidate).test(plain),
    );
    const where = `${method} ${path} answered ${reply.status} ${reply.text.slice(0, 500)}`;
    if (reply.status >= 400) return this.#checkProblem(route, reply, where);
    assert.ok(route, `${where}, but the route does not exist`);
    const { success, alternative } = route;
    const documented = reply.status === alternative?.status ? alternative : success;
    assert.equal(reply.status, documented.status, where);
    if (reply.status === 204) assert.equal(reply.text, '', where);
    const { schema } = documented;
    if (!schema) return;
    const check = checks.get(schema) ?? compile(standIn(schema));
    checks.set(schema, check);
    assert.ok(check(reply.body), `${where}, which does not match its schema`);
  }

  #checkProblem(route: Route | undefined, { status, headers, body }: Reply, where: string): void {
    assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/, where);
    const { code, title, detail, request_id, type } = body;
    assert.ok(Object.hasOwn(PROBLEMS, code), where);
    const known = PROBLEMS[code as ProblemCode];
    assert.equal(status, known.status, where);
    assert.deepEqual(
      [body.status, title, type],
      [status, known.title, `/docs/errors#${code}`],
      where,
    );
    assert.ok(detail.length > 0 && request_id.length > 0, where);
    assert.doesNotMatch(JSON.stringify(body), /\n\s+at |node_modules|\.ts:/, where);
    assert.notEqual(status, 500, where);
    if (!route) return;
    const documented = [...problemsOf(route), ...EVERYWHERE];
    assert.ok(documented.includes(code), `${where}, a code that the route does not document`);
  }
}

function patternOf(route: Route): RegExp {
  const known = patterns.get(route);
  if (known) return known;
  const pattern = route.path.replaceAll(/:\w+/g, '[^/]+').replace('*', '.*');
  const made = new RegExp(`^${pattern}/?$`);
  patterns.set(route, made);
  return made;
}

function compile(schema: TSchema): (value: unknown) => boolean {
  const validator = Compile(schema);
  return (value) => validator.Check(value);
}
