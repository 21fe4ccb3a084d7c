import { randomBytes } from 'node:crypto';

import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';

import type { Limiter } from '../lib/limiter.ts';
import type { Log } from '../lib/log.ts';
import type { Principal } from '../model/account.ts';
import { Problem } from '../model/problem.ts';
import { readJsonBodies } from './body.ts';
import { PROBLEM_JSON, errorHandler, problemDetails, sendProblem } from './errors.ts';
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
const REQUEST_TIMEOUT = 30_000;

export interface ServerOptions {
  services: Services;
  routes: readonly Route[];
  log: Log;
  metrics: Metrics;
  limiter: Limiter | undefined;
  publicUrl: URL | undefined;
  trustProxy: readonly string[];
}

/** The HTTP side of the service, made from the table of routes. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { services, routes, log, metrics } = options;
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    http: { connectionsCheckingInterval: 5_000 },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 256 },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    genReqId: requestIds(),
    clientErrorHandler: refuseMalformed,
    trustProxy: options.trustProxy.length > 0 ? [...options.trustProxy] : false,
  });
  app.decorateRequest('caller', undefined);
  readJsonBodies(app);
  app.setErrorHandler(errorHandler(log));
  app.setNotFoundHandler(notFoundHandler(routes));
  app.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
  });
  app.addHook('onResponse', async (request, reply) => {
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
  app.route({
    method: route.method,
    url: route.path,
    ...(route.bodyLimit !== undefined && { bodyLimit: route.bodyLimit }),
    ...(route.auth !== 'none' && {
      onRequest: async (request) => {
        request.caller = await admit(request, route, services.tokens, limiter);
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
        baseUrl: publicUrl?.href.replace(/\/$/, '') ?? `${request.protocol}://${request.host}`,
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
  reply.code(status);
  const content = text ?? (body === undefined ? undefined : JSON.stringify(body));
  if (content !== undefined) reply.header('content-type', 'application/json; charset=utf-8');
  if (headers) reply.headers(headers);
  return reply.send(content);
}

/** Who calls, if they may call this route at all. */
async function admit(
  request: FastifyRequest,
  route: Route,
  tokens: Tokens,
  limiter: Limiter | undefined,
): Promise<Principal> {
  const header = request.headers.authorization;
  if (header === undefined || header === '') {
    throw new Problem('token_missing', 'the call needs the header Authorization: Bearer <token>', {
      headers: { 'www-authenticate': 'Bearer' },
    });
  }
  const token = /^Bearer +(\S+) *$/i.exec(header)?.[1];
  if (token === undefined) {
    throw new Problem('token_invalid', 'the header Authorization must be: Bearer <token>', {
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    });
  }
  const caller = await tokens.authenticate(token);
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

/** What is not even HTTP never reaches a route. */
function refuseMalformed(
  this: FastifyInstance,
  error: Error & { code?: string },
  socket: import('node:net').Socket,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const timedOut = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const problem = timedOut
    ? new Problem('request_timeout', 'the request did not arrive in time')
    : new Problem('bad_request', 'the request is not HTTP that can be read');
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const line = timedOut
    ? '408 Request Timeout'
    : tooLarge
      ? '431 Request Header Fields Too Large'
      : '400 Bad Request';
  const body = JSON.stringify(problemDetails(problem, 'none'));
  socket.end(
    `HTTP/1.1 ${line}\r\nContent-Type: ${PROBLEM_JSON}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
