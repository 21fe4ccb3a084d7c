import { Overloaded } from '../lib/group-commit.ts';
import { PROBLEMS, Problem, type ProblemCode } from '../model/problem.ts';
import { isUnavailable } from '../store/faults.ts';

export const PROBLEM_JSON = 'application/problem+json';

/** What Fastify itself refuses, by its own codes. */
const FASTIFY_CODES: Readonly<Record<string, [ProblemCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', 'the body is larger than the call takes'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'a body of this content type is not read; send application/json',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'bad_request',
    'the body is not as long as Content-Length says',
  ],
  FST_ERR_BAD_URL: ['not_found', 'the path is not a valid one'],
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
  if (known) return new Problem(...known);
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
