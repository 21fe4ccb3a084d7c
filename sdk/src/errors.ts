import { type AcceptedMessage, PROBLEM_CODES, type ProblemCode } from './api.ts';

/** Errors that the client detects, rather than the service. */
export type ClientCode =
  /** The service could not be reached, or the connection broke. */
  | 'no_answer'
  /** The service did not answer within `timeout`. */
  | 'timeout'
  /** The response is not from Switchboard, but from a proxy or another server. */
  | 'unexpected_answer';

/** Why a call failed. `/docs/errors` of the service explains each code of the service. */
export type ErrorCode = ProblemCode | ClientCode;

/** An invalid field, by JSON pointer (RFC 6901) into the request body. */
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
 * A failed call. Check `code` for the reason:
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
  /** The reason, for programs: an error code of the service or of this client. Codes do not change. */
  readonly code: ErrorCode;
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  /** The kind of error, in a few words. */
  readonly title: string;
  /** A description of this error, for people. */
  readonly detail: string;
  /** The invalid fields; empty if the error is not about fields. */
  readonly errors: readonly FieldError[];
  /** Identifies the request in the log of the service. */
  readonly requestId: string | undefined;
  /** The seconds to wait before a retry, if the service sent `Retry-After`. */
  readonly retryAfter: number | undefined;
  /** For `sendAll`, which may take several calls: the messages accepted before the error. */
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

/** Characters of an unexpected response that the error quotes. */
const MAX_QUOTED_LENGTH = 200;

/** The error for a response with a status other than 2xx. */
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

/** The error for a response that is not from Switchboard. */
export function unexpected(
  { status, type, headers }: Response,
  text: string,
  fields: Partial<ErrorFields> = {},
): SwitchboardError {
  const location = headers.get('location');
  const isRedirect = type === 'opaqueredirect' || (status >= 300 && status < 400);
  const detail = isRedirect
    ? `the url redirects${location === null ? '' : ` to ${location}`}: configure the client with the final url`
    : `the response is not from Switchboard: ${status} ${text.slice(0, MAX_QUOTED_LENGTH).trim() || '(empty)'}`;
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

/** Parses `Retry-After`, which is a number of seconds or a date. RFC 9110, section 10.2.3. */
function secondsIn(header: string | null): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const moment = Date.parse(header);
  return Number.isNaN(moment) ? undefined : Math.max(0, Math.ceil((moment - Date.now()) / 1000));
}
