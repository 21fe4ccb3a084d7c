import { Overloaded } from '../../lib/runtime/group-commit.ts';
import { PROBLEMS, Problem, type ProblemCode } from '../../model/problem.ts';
import { isUnavailable } from '../../store/faults.ts';

export const PROBLEM_JSON = 'application/problem+json';

/** Fastify's own error codes. */
const FASTIFY_CODES: Readonly<Record<string, [ProblemCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', 'the body exceeds the limit of this endpoint'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'unsupported content type; send application/json',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'bad_request',
    'the body length does not match Content-Length',
  ],
  FST_ERR_BAD_URL: ['not_found', 'the path is malformed'],
};

/** Maps an error to the client's problem. Unexpected errors reveal nothing. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Overloaded) {
    return new Problem('overloaded', error.message, { headers: { 'retry-after': '1' } });
  }
  if (isUnavailable(error)) {
    return new Problem('store_unavailable', 'the store is unreachable or full', {
      headers: { 'retry-after': '2' },
    });
  }
  const { code, statusCode, message } = error as {
    code?: string;
    statusCode?: number;
    message?: string;
  };
  const mapped = code === undefined ? undefined : FASTIFY_CODES[code];
  if (mapped) return new Problem(...mapped);
  if (statusCode && statusCode >= 400 && statusCode < 500) {
    return new Problem('bad_request', message ?? 'the request is malformed');
  }
  return new Problem('internal', 'unexpected error; search the log for the request_id');
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
