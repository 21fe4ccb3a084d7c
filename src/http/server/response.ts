import type { FastifyReply, FastifyRequest } from 'fastify';

import type { Log } from '../../lib/telemetry/log.ts';
import type { Problem } from '../../model/problem.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { failurePage, wantsPage } from '../pages/failure.ts';
import { PROBLEM_JSON, problemDetails, toProblem } from './errors.ts';
import { endRequestSpan } from './request-span.ts';
import type { Answer } from './route.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** When the headers arrived, on the clock of `performance`. */
    startedAt: number;
  }
  interface FastifyInstance {
    /** Whether the service is stopping. */
    closing: boolean;
    /** Counts and logs a response that is about to be sent. */
    reportAnswer(reply: FastifyReply, status: number): void;
  }
}

/**
 * Headers of every response. While `closing`, each response closes its connection, because the stop waits for
 * them.
 */
export function commonHeaders(requestId: string, closing: boolean): Record<string, string> {
  const headers = { 'x-request-id': requestId, 'x-content-type-options': 'nosniff' };
  return closing ? { ...headers, connection: 'close' } : headers;
}

export function sendAnswer(
  reply: FastifyReply,
  { status, body, text, stream, headers }: Answer,
): FastifyReply {
  reply.server.reportAnswer(reply, status);
  reply.code(status).headers(commonHeaders(reply.request.id, reply.server.closing));
  const content = text ?? (body === undefined ? undefined : JSON.stringify(body));
  if (content !== undefined) reply.header('content-type', 'application/json; charset=utf-8');
  if (headers) reply.headers(headers);
  return reply.send(stream ?? content);
}

export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  const { id, url, headers } = reply.request;
  reply.server.reportAnswer(reply, problem.status);
  reply
    .code(problem.status)
    .headers(commonHeaders(id, reply.server.closing))
    .headers(problem.headers);
  if (wantsPage(url, headers.accept)) {
    const page = failurePage(problem, id);
    return reply.headers(page.headers).send(page.text);
  }
  return reply
    .header('content-type', PROBLEM_JSON)
    .send(JSON.stringify(problemDetails(problem, id)));
}

export function errorHandler(log: Log) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const problem = toProblem(error);
    if (problem.status >= 500) {
      const { traceId, spanId } = request.span ?? {};
      log.error(
        { request_id: request.id, err: error, trace_id: traceId, span_id: spanId },
        problem.message,
      );
    }
    return sendProblem(reply, problem);
  };
}

/** Called for every response when it is sent; waiting for its end would cost a listener each time. */
export function reporter(metrics: Metrics, log: Log) {
  return (reply: FastifyReply, status: number): void => {
    const { request } = reply;
    const { method, id, span } = request;
    if (span) endRequestSpan(span, status);
    // Requests that reached no route have no start time.
    const elapsed = request.startedAt === 0 ? 0 : performance.now() - request.startedAt;
    metrics.observe(method, request.routeOptions.url ?? 'unknown', status, elapsed);
    const level = status >= 500 ? 'error' : status >= 400 ? 'info' : 'debug';
    if (!log.isLevelEnabled(level)) return;
    const path = request.url.split('?', 1)[0];
    const ms = Math.round(elapsed * 100) / 100;
    const { traceId, spanId } = span ?? {};
    log[level](
      {
        request_id: id,
        method,
        path,
        status,
        ms,
        ip: request.ip,
        trace_id: traceId,
        span_id: spanId,
      },
      'request',
    );
  };
}
