import type { FastifyRequest } from 'fastify';

import { type Span, type Tracer, parseTraceparent } from '../lib/tracing.ts';
import type { Route } from './route.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Where it is traced. */
    span: Span | undefined;
  }
}

/**
 * The span of a request, from when its headers had arrived. It belongs where whoever calls says, if that is known to be
 * somebody: strangers do not decide what is traced.
 * https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-server-span, but for the path, which in a hook's
 * address is a secret.
 */
export function requestSpan(tracer: Tracer, request: FastifyRequest, route: Route): Span {
  const { caller, id, method, headers, startedAt } = request;
  const told = headers['traceparent'];
  const isParent = caller !== undefined && typeof told === 'string' && parseTraceparent(told);
  return tracer.start(`${method} ${route.path}`, {
    kind: 'server',
    parent: isParent ? told : null,
    at: startedAt,
    attributes: {
      'http.request.method': method,
      'http.route': route.path,
      'switchboard.request_id': id,
      ...(caller?.kind === 'application' && { 'switchboard.application_id': caller.applicationId }),
    },
  });
}

/** A refusal is the caller's fault, and none of the span. */
export function endRequestSpan(span: Span, status: number): void {
  span.set({ 'http.response.status_code': status });
  span.end(status >= 500 ? String(status) : undefined);
}
