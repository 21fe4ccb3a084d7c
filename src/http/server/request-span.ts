import type { FastifyRequest } from 'fastify';

import { type Span, type Tracer, parseTraceparent } from '../../lib/telemetry/tracing.ts';
import type { Route } from './route.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined without tracing. */
    span: Span | undefined;
  }
}

/**
 * Starts the span of a request when its headers have arrived. Only authenticated callers choose the parent:
 * strangers must not decide what is traced.
 * https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-server-span, but without the path, which is
 * secret in a webhook URL.
 */
export function requestSpan(tracer: Tracer, request: FastifyRequest, route: Route): Span {
  const { caller, id, method, headers, startedAt } = request;
  const traceparent = headers['traceparent'];
  const isParent =
    caller !== undefined && typeof traceparent === 'string' && parseTraceparent(traceparent);
  return tracer.start(`${method} ${route.path}`, {
    kind: 'server',
    parent: isParent ? traceparent : null,
    at: startedAt,
    attributes: {
      'http.request.method': method,
      'http.route': route.path,
      'switchboard.request_id': id,
      ...(caller?.kind === 'application' && { 'switchboard.application_id': caller.applicationId }),
    },
  });
}

/** Client errors do not mark the span as failed. */
export function endRequestSpan(span: Span, status: number): void {
  span.set({ 'http.response.status_code': status });
  span.end(status >= 500 ? String(status) : undefined);
}
