import type { FastifyInstance } from 'fastify';

import { sendAnswer } from '../server/response.ts';

/* Cross-origin requests from browsers: https://fetch.spec.whatwg.org/#http-cors-protocol */

const API_PREFIX = '/1/';
const REQUEST_HEADERS = [
  'authorization',
  'content-type',
  'idempotency-key',
  'switchboard-application',
  'traceparent',
];
const EXPOSED_HEADERS = ['link', 'location', 'retry-after', 'www-authenticate', 'x-request-id'];
const PREFLIGHT_SECONDS = 600;

/**
 * Lets pages of these origins call the API with a token. Cookies are never allowed, and the console, which
 * relies on one, is excluded.
 */
export function allowOrigins(
  app: FastifyInstance,
  origins: readonly string[],
  methodsOf: (path: string) => readonly string[],
): void {
  if (origins.length === 0) return;
  const allowedOrigins = new Set(origins);
  app.addHook('onRequest', (request, reply, done) => {
    const { url, method, headers } = request;
    if (!url.startsWith(API_PREFIX)) return done();
    reply.header('vary', 'origin');
    const { origin } = headers;
    if (origin === undefined || !allowedOrigins.has(origin)) return done();
    reply.header('access-control-allow-origin', origin);
    reply.header('access-control-expose-headers', EXPOSED_HEADERS.join(', '));
    const methods = methodsOf(url.split('?', 1)[0] ?? '');
    const isPreflight = method === 'OPTIONS' && 'access-control-request-method' in headers;
    if (!isPreflight || methods.length === 0) return done();
    reply.headers({
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': REQUEST_HEADERS.join(', '),
      'access-control-max-age': String(PREFLIGHT_SECONDS),
    });
    sendAnswer(reply, { status: 204 });
  });
}
