import { PROBLEMS, type ProblemCode } from '../model/problem.ts';

/* The headers of responses, as OpenAPI describes them, and which problems carry which. */

const text = { type: 'string' };

export const RESPONSE_HEADERS = {
  'X-Request-Id': { description: 'Finds the request in the log.', schema: text },
  Location: { description: 'Address of the created resource.', schema: text },
  Link: {
    description: 'Neighbouring pages (RFC 8288): `rel="next"` and `rel="prev"`.',
    schema: text,
  },
  'Set-Cookie': { description: 'The session cookie of the console.', schema: text },
  ETag: { description: 'Version of the file.', schema: text },
  'Retry-After': {
    description: 'Seconds to wait before the request is repeated.',
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': { description: 'The scheme to authenticate with (RFC 6750).', schema: text },
} as const;

export type ResponseHeader = keyof typeof RESPONSE_HEADERS;

/** The headers of a problem response, by the codes it can have. */
export function problemHeaders(codes: readonly ProblemCode[]): readonly ResponseHeader[] {
  return [
    'X-Request-Id',
    ...(codes.some(isLater) ? (['Retry-After'] as const) : []),
    ...(codes.some(isToken) ? (['WWW-Authenticate'] as const) : []),
  ];
}

function isLater(code: ProblemCode): boolean {
  return [429, 503].includes(PROBLEMS[code].status) || code === 'idempotency_in_flight';
}

function isToken(code: ProblemCode): boolean {
  return code.startsWith('token_');
}

/** A `headers` member: references into the components of the document. */
export function headerReferences(names: readonly ResponseHeader[]): Record<string, unknown> {
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const),
  );
}
