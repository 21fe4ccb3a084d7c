import { randomBytes } from 'node:crypto';

import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';

import type { Limiter } from '../../lib/runtime/limiter.ts';
import type { Log } from '../../lib/telemetry/log.ts';
import type { Tracer } from '../../lib/telemetry/tracing.ts';
import type { Principal } from '../../model/account.ts';
import { Problem } from '../../model/problem.ts';
import type { IdempotencyKey } from '../../store/engine.ts';
import { admit } from '../auth/admission.ts';
import { allowOrigins } from '../auth/cors.ts';
import { checkOrigin } from '../auth/origin.ts';
import { IdempotentRequests, idempotencyKey, requestHash } from '../idempotency.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Services } from '../services.ts';
import { allowedMethods, shadowedMethods } from './allowed-methods.ts';
import {
  BodyBudget,
  MAX_ANONYMOUS_BYTES,
  MAX_ANONYMOUS_BYTES_PER_ADDRESS,
  MAX_HOOK_BYTES,
  countBody,
} from './body-budget.ts';
import { readJsonBodies, leaveBodies, readRawBodies } from './body.ts';
import { RequestCall } from './call.ts';
import { toProblem } from './errors.ts';
import { requestSpan } from './request-span.ts';
import { errorHandler, reporter, sendAnswer, sendProblem } from './response.ts';
import { type Route, isRepeatable } from './route.ts';
import { malformedHandler, notFoundHandler } from './unroutable.ts';
import { unusedConnectionsCloser } from './unused-connections.ts';
import { bodyCheck } from './validation.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Principal | undefined;
  }
}

const MAX_BODY_BYTES = 256 * 1024;

/** Maximum interval between checks for slow requests, in milliseconds. */
const MAX_CHECK_INTERVAL_MS = 5_000;

interface ServerOptions {
  services: Services;
  routes: readonly Route[];
  log: Log;
  metrics: Metrics;
  limiter: Limiter | undefined;
  tracer: Tracer | undefined;
  publicUrl: string | undefined;
  trustProxy: readonly string[];
  /** Origins whose pages may call the API. */
  corsOrigins: readonly string[];
  /** Time limit for a request to arrive, in milliseconds. */
  requestTimeout: number;
}

/** Buffers for callers without a token. */
interface BodyBudgets {
  hooks: BodyBudget;
  others: BodyBudget;
}

/** Builds the HTTP server from the table of routes. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { services, routes, log, metrics, requestTimeout } = options;
  const nextRequestId = requestIds();
  const allowed = allowedMethods(routes);
  const unroutable = notFoundHandler(allowed);
  const app = Fastify({
    logger: false,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    http: {
      // Node swaps the two timeouts if this one is longer than `requestTimeout`.
      headersTimeout: requestTimeout,
      connectionsCheckingInterval: Math.min(MAX_CHECK_INTERVAL_MS, requestTimeout / 2),
    },
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: 16_384,
      querystringParser: lastOfEach,
    },
    // Routes validate bodies themselves, so Fastify's schema compiler is never loaded.
    schemaController: {
      compilersFactory: { buildValidator: notNeeded, buildSerializer: notNeeded },
    },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    genReqId: nextRequestId,
    clientErrorHandler: malformedHandler(log, nextRequestId, allowed),
    frameworkErrors: (error, _request, reply) => void sendProblem(reply, toProblem(error)),
    trustProxy: options.trustProxy.length > 0 ? [...options.trustProxy] : false,
  });
  app.decorate('closing', false);
  app.decorate('reportAnswer', reporter(metrics, log));
  const closeUnused = unusedConnectionsCloser(app.server);
  app.addHook('preClose', (done) => {
    app.closing = true;
    closeUnused();
    done();
  });
  app.decorateRequest('caller', undefined);
  app.decorateRequest('startedAt', 0);
  app.decorateRequest('span', undefined);
  readJsonBodies(app);
  app.setErrorHandler(errorHandler(log));
  app.setNotFoundHandler(unroutable);
  allowOrigins(app, options.corsOrigins, allowed);
  // Before the body is parsed: Fastify would refuse a QUERY without a content type.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) void unroutable(request, reply);
    else done();
  });
  for (const { method, path } of shadowedMethods(routes)) {
    app.route({ method, url: path, handler: unroutable });
  }
  const once = new IdempotentRequests(services.store, services.clock);
  const budgets: BodyBudgets = {
    hooks: new BodyBudget({ total: MAX_HOOK_BYTES, perAddress: MAX_HOOK_BYTES }),
    others: new BodyBudget({
      total: MAX_ANONYMOUS_BYTES,
      perAddress: MAX_ANONYMOUS_BYTES_PER_ADDRESS,
    }),
  };
  for (const route of routes) if (!route.raw) addRoute(app, route, once, budgets, options);
  void app.register((scope, _options, done) => {
    readRawBodies(scope);
    for (const route of routes) {
      if (route.raw && !route.streamed) addRoute(scope, route, once, budgets, options);
    }
    done();
  });
  void app.register((scope, _options, done) => {
    leaveBodies(scope);
    for (const route of routes) if (route.streamed) addRoute(scope, route, once, budgets, options);
    done();
  });
  return app;
}

function addRoute(
  app: FastifyInstance,
  route: Route,
  once: IdempotentRequests,
  budgets: BodyBudgets,
  options: ServerOptions,
): void {
  const { services, limiter, publicUrl, tracer } = options;
  const { tokens, sessions } = services;
  const authenticators = { tokens, sessions, limiter };
  const routeContext = { route, once, tracer, publicUrl };
  const repeatable = isRepeatable(route);
  const check = route.body && bodyCheck(route.body);
  const name = `${route.method} ${route.path}`;
  app.route({
    method: route.method,
    url: route.path,
    ...(route.bodyLimit !== undefined && { bodyLimit: route.bodyLimit }),
    onRequest: (request, _reply, done) => {
      request.startedAt = performance.now();
      // Most tokens are cached, so that nothing is awaited.
      let admitted: Principal | Promise<Principal>;
      try {
        if (route.sameOrigin) checkOrigin(request, publicUrl);
        if (route.auth === 'none') {
          if (!route.checkBeforeBody) return done();
          const { params, headers } = request;
          route
            .checkBeforeBody({ params: params as Record<string, string>, headers })
            .then(() => done(), done);
          return;
        }
        admitted = admit(request, route, authenticators);
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
    ...(route.auth === 'none' && {
      preParsing: (request, reply, payload, done) => {
        countBody(route.isHook ? budgets.hooks : budgets.others, request, reply, payload);
        done(null, payload);
      },
    }),
    handler: async (request, reply) => {
      const { caller, text } = request;
      if (tracer && caller) request.span = requestSpan(tracer, request, route);
      if (check && !(text === '' && route.bodyOptional)) {
        if (text === '') throw new Problem('empty_body', 'send a JSON object as the body');
        check(request.body);
      }
      const key =
        repeatable && caller && !route.streamed ? keyOf(request, caller, name) : undefined;
      const call = new RequestCall(request, reply, key, routeContext);
      const answer =
        key && caller
          ? await once.run(key, caller, async () => {
              const first = await route.handle(call);
              return { answer: first, recorded: call.isRecorded };
            })
          : await route.handle(call);
      return sendAnswer(reply, answer);
    },
  });
}

/** The request's Idempotency-Key, if any. */
function keyOf(
  request: FastifyRequest,
  caller: Principal,
  route: string,
): IdempotencyKey | undefined {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return undefined;
  // Raw routes have bytes instead of text.
  const body = Buffer.isBuffer(request.body) ? request.body : request.text;
  const hash = requestHash(request.url).update(body).digest('base64url');
  return idempotencyKey(String(header), caller, route, hash);
}

function notNeeded(): never {
  throw new Error('routes must not use Fastify schemas');
}

/** The last value of a repeated parameter wins. NUL, which cannot be stored, becomes U+FFFD, as invalid UTF-8 does. */
function lastOfEach(query: string): Record<string, string> {
  return query === ''
    ? {}
    : Object.fromEntries(new URLSearchParams(query.replaceAll('%00', '%EF%BF%BD')));
}

/** Short and unique across restarts: a random prefix and a counter. */
function requestIds(): () => string {
  const start = randomBytes(6).toString('base64url');
  let last = 0;
  return () => `${start}-${(++last).toString(36)}`;
}
