import type { FastifyReply, FastifyRequest } from 'fastify';

import { Overloaded } from '../lib/group-commit.ts';
import type { Log } from '../lib/log.ts';
import { PROBLEMS, Problem, type ProblemCode } from '../model/problem.ts';
import { isUnavailable } from '../store/faults.ts';

export const PROBLEM_JSON = 'application/problem+json';

/** What Fastify itself refuses, by its own codes. */
const FASTIFY_CODES: Readonly<Record<string, ProblemCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'bad_request',
  FST_ERR_BAD_URL: 'not_found',
};

/** The problem that an error is for the client. What is not foreseen is ours, and says nothing. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Overloaded) {
    return new Problem('overloaded', error.message, { headers: { 'retry-after': '1' } });
  }
  if (isUnavailable(error)) {
    return new Problem('store_unavailable', 'the store is out of reach or out of room', {
      headers: { 'retry-after': '2' },
    });
  }
  const { code, statusCode, message } = error as {
    code?: string;
    statusCode?: number;
    message?: string;
  };
  const known = code === undefined ? undefined : FASTIFY_CODES[code];
  if (known) return new Problem(known, message ?? PROBLEMS[known].title);
  if (statusCode && statusCode >= 400 && statusCode < 500) {
    return new Problem('bad_request', message ?? 'the request is malformed');
  }
  return new Problem('internal', 'something went wrong here; the log has it under the request_id');
}

/** RFC 9457 problem details. */
export function problemDetails(problem: Problem, requestId: string): Record<string, unknown> {
  const { title, status } = PROBLEMS[problem.code];
  return {
    type: `/docs/errors#${problem.code}`,
    title,
    status,
    detail: problem.message,
    code: problem.code,
    request_id: requestId,
    ...(problem.errors && problem.errors.length > 0 && { errors: problem.errors }),
  };
}

/** What every answer carries. */
export function commonHeaders(requestId: string): Record<string, string> {
  return { 'x-request-id': requestId, 'x-content-type-options': 'nosniff' };
}

export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  return reply
    .code(problem.status)
    .headers(commonHeaders(reply.request.id))
    .headers(problem.headers)
    .header('content-type', PROBLEM_JSON)
    .send(JSON.stringify(problemDetails(problem, reply.request.id)));
}

export function errorHandler(log: Log) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const problem = toProblem(error);
    if (problem.status >= 500) {
      log.error({ request_id: request.id, err: error }, problem.message);
    }
    return sendProblem(reply, problem);
  };
}
