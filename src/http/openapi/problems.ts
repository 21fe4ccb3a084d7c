import { PROBLEMS, type ProblemCode } from '../../model/problem.ts';
import { PROBLEM_JSON } from '../server/errors.ts';
import { headerReferences, problemHeaders } from './response-headers.ts';

type Json = Record<string, unknown>;

/* The error responses of the OpenAPI document. */

const CODES = Object.keys(PROBLEMS) as ProblemCode[];

/** Never part of an operation in the document. */
export const UNDOCUMENTED: ProblemCode = 'method_not_allowed';

/** Problems that any request can get, whatever the operation. */
export const COMMON_PROBLEMS = [
  'bad_request',
  'request_timeout',
  'headers_too_large',
  'internal',
] as const satisfies readonly ProblemCode[];

/** One response per status. Responses with a single code are `shared` as components of that name. */
export function problemResponses(
  codes: readonly ProblemCode[],
  shared: Map<ProblemCode, Json>,
): Json {
  const all = [...new Set([...codes, ...COMMON_PROBLEMS])];
  const byStatus = Map.groupBy(all, (code) => PROBLEMS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, own]): [number, Json] => {
      const [only] = own;
      if (!only || own.length > 1) return [status, response(own)];
      shared.set(only, response(own));
      return [status, { $ref: `#/components/responses/${only}` }];
    }),
  );
}

/** An example of every problem that an operation can answer. */
export function problemExamples(): Json {
  return Object.fromEntries(
    CODES.filter((code) => code !== UNDOCUMENTED).map((code) => {
      const { status, title, help } = PROBLEMS[code];
      const type = `/docs/errors#${code}`;
      const value = { type, title, status, detail: help, code, request_id: 'q83vAbcd-1' };
      return [code, { summary: title, value }];
    }),
  );
}

export function problemSchema(): Json {
  return {
    title: 'Problem',
    description: 'Problem details, RFC 9457.',
    type: 'object',
    required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
    properties: {
      type: { type: 'string', format: 'uri-reference' },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string' },
      code: { type: 'string', enum: CODES },
      request_id: { type: 'string' },
      errors: {
        type: 'array',
        items: {
          type: 'object',
          required: ['pointer', 'detail'],
          properties: {
            pointer: { type: 'string', description: 'A JSON pointer (RFC 6901) into the body.' },
            detail: { type: 'string' },
          },
        },
      },
    },
  };
}

function response(codes: readonly ProblemCode[]): Json {
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(' '),
    headers: headerReferences(problemHeaders(codes)),
    content: {
      [PROBLEM_JSON]: {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(
          codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
        ),
      },
    },
  };
}
