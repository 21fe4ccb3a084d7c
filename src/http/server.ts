import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';

import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';

import type { Limiter } from '../lib/limiter.ts';
import type { Log } from '../lib/log.ts';
import type { Principal } from '../model/account.ts';
import { Problem, type ProblemCode } from '../model/problem.ts';
import { readJsonBodies } from './body.ts';
import {
  PROBLEM_JSON,
  commonHeaders,
  errorHandler,
  problemDetails,
  sendProblem,
  toProblem,
} from './errors.ts';
import { OnceOnly, idempotencyKey } from './idempotency.ts';
import type { Metrics } from './metrics.ts';
import type { Answer, Call, Query, Route } from './route.ts';
import type { Services } from './services.ts';
import type { Tokens } from './tokens.ts';
import { bodyCheck } from './validation.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Principal | undefined;
  }
}

const BODY_LIMIT = 256 * 1024;

/** How often connections are looked over for requests that take too long, at the least. */
const CHECK_EVERY = 5_000;

export interface ServerOptions {
  services: Services;
  routes: readonly Route[];
  log: Log;
  metrics: Metrics;
  limiter: Limiter | undefined;
  publicUrl: URL | undefined;
  trustProxy: readonly string[];
  /** How long a request may take to arrive, in milliseconds. */
  requestTimeout: number;
}

/** The HTTP side of the service, made from the table of routes. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { services, routes, log, metrics, requestTimeout } = options;
  const nextRequestId = requestIds();
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_LIMIT,
    requestTimeout,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    http: {
      // Where it is longer than the time for the whole request, Node exchanges the two.
      headersTimeout: requestTimeout,
      connectionsCheckingInterval: Math.min(CHECK_EVERY, requestTimeout / 2),
    },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 256 },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    genReqId: nextRequestId,
    clientErrorHandler: malformedHandler(log, nextRequestId),
    frameworkErrors: (error, _request, reply) => void sendProblem(reply, toProblem(error)),
    trustProxy: options.trustProxy.length > 0 ? [...options.trustProxy] : false,
  });
  app.decorate('closing', false);
  app.addHook('preClose', (done) => {
    app.closing = true;
    done();
  });
  app.decorateRequest('caller', undefined);
  readJsonBodies(app);
  app.setErrorHandler(errorHandler(log));
  app.setNotFoundHandler(notFoundHandler(routes));
  app.addHook('onResponse', (request, reply, done) => {
    done();
    const { statusCode, elapsedTime } = reply;
    const { method } = request;
    const route = request.routeOptions.url ?? 'unknown';
    metrics.observe(method, route, statusCode, elapsedTime);
    const level = statusCode >= 500 ? 'error' : statusCode >= 400 ? 'info' : 'debug';
    if (!log.isLevelEnabled(level)) return;
    const path = request.url.split('?', 1)[0];
    const ms = Math.round(elapsedTime * 100) / 100;
    log[level](
      { request_id: request.id, method, path, status: statusCode, ms, ip: request.ip },
      'request',
    );
  });
  const once = new OnceOnly(services.store, services.clock);
  for (const route of routes) addRoute(app, route, once, options);
  return app;
}

function addRoute(
  app: FastifyInstance,
  route: Route,
  once: OnceOnly,
  options: ServerOptions,
): void {
  const { services, limiter, publicUrl } = options;
  const check = route.body && bodyCheck(route.body);
  const name = `${route.method} ${route.path}`;
  const ownUrl = publicUrl?.href.replace(/\/$/, '');
  app.route({
    method: route.method,
    url: route.path,
    ...(route.bodyLimit !== undefined && { bodyLimit: route.bodyLimit }),
    ...(route.auth !== 'none' && {
      onRequest: (request, _reply, done) => {
        // Most tokens are known, and then nothing is waited for.
        let admitted: Principal | Promise<Principal>;
        try {
          admitted = admit(request, route, services.tokens, limiter);
        } catch (error) {
          return done(error as Error);
        }
        if (!(admitted instanceof Promise)) {
          request.caller = admitted;
          return done();
        }
        admitted.then((caller) => {
          request.caller = caller;
          done();
        }, done);
      },
    }),
    handler: async (request, reply) => {
      const { caller, text } = request;
      if (check && !(text === '' && route.bodyOptional)) {
        if (text === '')
          throw new Problem('empty_body', 'the call needs a JSON object as its body');
        check(request.body);
      }
      const key =
        route.method === 'POST' && caller
          ? idempotencyKey(request.headers['idempotency-key'], caller, name, request.url, text)
          : undefined;
      let recorded = false;
      const call: Call<Principal | undefined, unknown> = {
        caller,
        body: request.body,
        text,
        query: request.query as Query,
        params: request.params as Record<string, string>,
        headers: request.headers,
        ip: request.ip,
        baseUrl: () => ownUrl ?? `${request.protocol}://${request.host}`,
        once(answer) {
          recorded = true;
          return key && once.record(key, answer);
        },
        claim() {
          recorded = true;
          return key;
        },
      };
      const answer =
        key && caller
          ? await once.run(key, caller, async () => {
              const first = await route.handle(call);
              return { answer: first, recorded };
            })
          : await route.handle(call);
      return write(reply, answer);
    },
  });
}

function write(reply: Parameters<typeof sendProblem>[0], { status, body, text, headers }: Answer) {
  reply.code(status).headers(commonHeaders(reply.request.id, reply.server.closing));
  const content = text ?? (body === undefined ? undefined : JSON.stringify(body));
  if (content !== undefined) reply.header('content-type', 'application/json; charset=utf-8');
  if (headers) reply.headers(headers);
  return reply.send(content);
}

/** Who calls, if they may call this route at all. */
function admit(
  request: FastifyRequest,
  route: Route,
  tokens: Tokens,
  limiter: Limiter | undefined,
): Principal | Promise<Principal> {
  const found = tokens.authenticate(bearerToken(request.headers.authorization));
  return found instanceof Promise
    ? found.then((caller) => admitCaller(caller, route, limiter))
    : admitCaller(found, route, limiter);
}

function bearerToken(header: string | undefined): string {
  if (header === undefined || header === '') {
    throw new Problem('token_missing', 'the call needs the header Authorization: Bearer <token>', {
      headers: { 'www-authenticate': 'Bearer' },
    });
  }
  const token = /^Bearer +(\S+) *$/i.exec(header)?.[1];
  if (token !== undefined) return token;
  throw new Problem('token_invalid', 'the header Authorization must be: Bearer <token>', {
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  });
}

function admitCaller(caller: Principal, route: Route, limiter: Limiter | undefined): Principal {
  if (caller.kind !== route.auth) {
    throw new Problem(
      'wrong_token_kind',
      `the call needs ${route.auth === 'user' ? 'a user' : 'an application'} token`,
    );
  }
  if (caller.state !== 'enable' && !route.evenDisabled) {
    throw caller.kind === 'user'
      ? new Problem('user_disabled', 'the user that the token speaks for is disabled')
      : new Problem(
          'application_disabled',
          'the application that the token speaks for is disabled',
        );
  }
  if (limiter) limit(limiter, caller);
  return caller;
}

function limit(limiter: Limiter, caller: Principal): void {
  const owner = caller.kind === 'user' ? caller.userId : caller.applicationId;
  const wait = limiter.take(`${caller.kind}:${owner}`);
  if (wait === 0) return;
  throw new Problem('rate_limited', 'this user or application asks more often than it may', {
    headers: { 'retry-after': String(Math.ceil(wait / 1000)) },
  });
}

/** A path that is known with other methods says so; any other is not found. */
function notFoundHandler(routes: readonly Route[]) {
  const table = routes.map(({ method, path }) => ({
    method,
    pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}/?$`),
  }));
  return (request: FastifyRequest, reply: Parameters<typeof sendProblem>[0]) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const methods = table.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    if (methods.length === 0) {
      return sendProblem(
        reply,
        new Problem('not_found', `there is nothing at ${path.slice(0, 200)}`),
      );
    }
    const allow = [
      ...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))),
    ];
    return sendProblem(
      reply,
      new Problem('method_not_allowed', `the path knows ${allow.join(', ')}`, {
        headers: { allow: allow.join(', ') },
      }),
    );
  };
}

/** Short, unique over restarts, and cheap: a random start and a counter. */
function requestIds(): () => string {
  const start = randomBytes(6).toString('base64url');
  let last = 0;
  return () => `${start}-${(++last).toString(36)}`;
}

const STATUS_LINES: Partial<Record<ProblemCode, string>> = {
  request_timeout: '408 Request Timeout',
  headers_too_large: '431 Request Header Fields Too Large',
};

/** What is not even HTTP never reaches a route. */
function malformedHandler(log: Log, nextRequestId: () => string) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const problem = malformed(error.code);
    const requestId = nextRequestId();
    const { code, status } = problem;
    log.info({ request_id: requestId, code, status, ip: socket.remoteAddress }, 'not a request');
    const body = JSON.stringify(problemDetails(problem, requestId));
    const headers = {
      ...commonHeaders(requestId, true),
      'content-type': PROBLEM_JSON,
      'content-length': Buffer.byteLength(body),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const first = `HTTP/1.1 ${STATUS_LINES[code] ?? '400 Bad Request'}\r\n`;
    socket.end(`${first}${lines.join('')}\r\n${body}`);
  };
}

function malformed(code: string | undefined): Problem {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request_timeout', 'the request did not arrive in time');
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('headers_too_large', 'the headers have more than 16 KiB');
    default:
      return new Problem('bad_request', 'the request is not HTTP that can be read');
  }
}
