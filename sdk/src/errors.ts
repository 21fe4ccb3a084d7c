import { type AcceptedMessage, PROBLEM_CODES, type ProblemCode } from './api.ts';

/** What went wrong without the service having said so. */
export type ClientCode =
  /** The service could not be reached, or the connection broke. */
  | 'no_answer'
  /** The service took longer than `timeout` allows. */
  | 'timeout'
  /** The answer is none of this service: of a proxy in between, or of something else altogether. */
  | 'unexpected_answer';

/** Everything that can go wrong with a call. `https://…/docs/errors` of any service explains each. */
export type ErrorCode = ProblemCode | ClientCode;

/** What is wrong where: a JSON pointer (RFC 6901) into the body that was sent. */
export interface FieldError {
  pointer: string;
  detail: string;
}

export interface ErrorFields {
  code: ErrorCode;
  detail: string;
  status?: number;
  title?: string;
  errors?: readonly FieldError[];
  requestId?: string | undefined;
  retryAfter?: number | undefined;
  cause?: unknown;
}

/**
 * A call that did not work out. `code` says why, for programs:
 *
 * ```ts
 * try {
 *   await client.messages.send({ to: '123', text: 'Hello' });
 * } catch (error) {
 *   if (error instanceof SwitchboardError && error.code === 'no_integration') …
 * }
 * ```
 */
export class SwitchboardError extends Error {
  override readonly name = 'SwitchboardError';
  /** Why, for programs: a code of the service's catalogue, or of this client. It does not change. */
  readonly code: ErrorCode;
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** What kind of problem it is, in a few words. */
  readonly title: string;
  /** What is wrong this time, in words for a person. */
  readonly detail: string;
  /** Which fields are wrong, and why; empty when it is not about fields. */
  readonly errors: readonly FieldError[];
  /** Finds the request in the log of the service. */
  readonly requestId: string | undefined;
  /** After how many seconds the service wants to be asked again, when it says so. */
  readonly retryAfter: number | undefined;
  /** Of a batch that was sent in several calls: what had been accepted before this went wrong. */
  accepted: readonly AcceptedMessage[] = [];

  constructor(fields: ErrorFields) {
    const { code, detail, status = 0, title = detail, errors = [], requestId, retryAfter } = fields;
    super(`${detail} (${code})`, 'cause' in fields ? { cause: fields.cause } : undefined);
    this.code = code;
    this.status = status;
    this.title = title;
    this.detail = detail;
    this.errors = errors;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

/** How much of an answer that nobody expected is repeated. */
const SHOWN = 200;

/** What an answer that is no success says. */
export function errorFrom(response: Response, text: string): SwitchboardError {
  const { status, headers } = response;
  const problem = problemIn(text);
  const common = {
    status,
    requestId: textOf(problem['request_id']) ?? headers.get('x-request-id') ?? undefined,
    retryAfter: secondsIn(headers.get('retry-after')),
  };
  const code = PROBLEM_CODES.find((known) => known === problem['code']);
  if (code === undefined) return unexpected(response, text, common);
  const title = textOf(problem['title']) ?? code;
  const detail = textOf(problem['detail']) ?? title;
  return new SwitchboardError({ ...common, code, title, detail, errors: fieldErrors(problem) });
}

/** An answer that cannot be used. */
export function unexpected(
  { status, type, headers }: Response,
  text: string,
  fields: Partial<ErrorFields> = {},
): SwitchboardError {
  const location = headers.get('location');
  const isElsewhere = type === 'opaqueredirect' || (status >= 300 && status < 400);
  const detail = isElsewhere
    ? `the address leads elsewhere${location === null ? '' : `, to ${location}`}: give the client the address that it leads to`
    : `the answer is not one of Switchboard: ${status} ${text.slice(0, SHOWN).trim() || '(empty)'}`;
  return new SwitchboardError({ status, ...fields, code: 'unexpected_answer', detail });
}

function problemIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function fieldErrors({ errors }: Readonly<Record<string, unknown>>): FieldError[] {
  if (!Array.isArray(errors)) return [];
  return errors.flatMap((error: Partial<FieldError> | null) =>
    typeof error?.pointer === 'string' && typeof error.detail === 'string'
      ? [{ pointer: error.pointer, detail: error.detail }]
      : [],
  );
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** `Retry-After` as seconds, or as a date. RFC 9110, section 10.2.3. */
function secondsIn(header: string | null): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const moment = Date.parse(header);
  return Number.isNaN(moment) ? undefined : Math.max(0, Math.ceil((moment - Date.now()) / 1000));
}
