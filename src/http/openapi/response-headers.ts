import { PROBLEMS, type ProblemCode } from '../../model/problem.ts';

/* Response headers as OpenAPI describes them, and which problems carry which. */

const text = { type: 'string' };

export const RESPONSE_HEADERS = {
  'X-Request-Id': { description: 'Id of the request in the log.', schema: text },
  Location: { description: 'URL of the created resource.', schema: text },
  Link: {
    description: 'Adjacent pages (RFC 8288): `rel="next"` and `rel="prev"`.',
    schema: text,
  },
  'Set-Cookie': { description: "The console's session cookie.", schema: text },
  ETag: { description: 'Version of the file.', schema: text },
  'Retry-After': {
    description: 'Seconds to wait before a retry.',
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': { description: 'Authentication scheme (RFC 6750).', schema: text },
} as const;

export type ResponseHeader = keyof typeof RESPONSE_HEADERS;

/** The headers of a problem response, by the codes it can have. */
export function problemHeaders(codes: readonly ProblemCode[]): readonly ResponseHeader[] {
  return [
    'X-Request-Id',
    ...(codes.some(hasRetryAfter) ? (['Retry-After'] as const) : []),
    ...(codes.some(isTokenProblem) ? (['WWW-Authenticate'] as const) : []),
  ];
}

function hasRetryAfter(code: ProblemCode): boolean {
  return [429, 503].includes(PROBLEMS[code].status) || code === 'idempotency_in_flight';
}

function isTokenProblem(code: ProblemCode): boolean {
  return code.startsWith('token_');
}

/** A `headers` member with references to the components of the document. */
export function headerReferences(names: readonly ResponseHeader[]): Record<string, unknown> {
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const),
  );
}
