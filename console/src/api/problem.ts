import type { FieldError, ProblemCode } from '../../../src/model/problem.ts';

/** Problem document (RFC 9457). */
interface ProblemBody {
  title: string;
  status: number;
  detail: string;
  code: ProblemCode;
  request_id: string;
  errors?: FieldError[];
}

/** A request that the service refused. */
export class ApiProblem extends Error {
  override name = 'ApiProblem';
  readonly status: number;
  readonly code: ProblemCode | undefined;
  readonly title: string;
  readonly requestId: string | undefined;
  readonly errors: readonly FieldError[];
  /** From the header `Retry-After`, in seconds. */
  readonly retryAfter: number | undefined;

  constructor(status: number, body: Partial<ProblemBody>, retryAfter?: number) {
    super(body.detail ?? `The service responded with status ${status}.`);
    this.status = status;
    this.code = body.code;
    this.title = body.title ?? 'Request failed';
    this.requestId = body.request_id;
    this.errors = body.errors ?? [];
    this.retryAfter = retryAfter;
  }

  /** The error of one body field. */
  field(name: string): string | undefined {
    const found = this.errors.find(({ pointer }) => pointer === `/${name}`);
    return found && sentence(found.detail);
  }
}

export const isNotFound = (error: unknown): boolean =>
  error instanceof ApiProblem && error.status === 404;

/** No response: network or service unavailable. */
export class Unreachable extends Error {
  override name = 'Unreachable';

  constructor() {
    super('Cannot reach the service. Check your connection and that the service is running.');
  }
}

/** The session ended; all its requests fail. */
export class SessionEnded extends Error {
  override name = 'SessionEnded';

  constructor() {
    super('Your session has ended.');
  }
}

export async function readProblem(response: Response): Promise<ApiProblem> {
  const seconds = Number(response.headers.get('retry-after'));
  const body: unknown = await response.json().catch(() => ({}));
  return new ApiProblem(
    response.status,
    typeof body === 'object' && body !== null ? body : {},
    Number.isFinite(seconds) && seconds > 0 ? seconds : undefined,
  );
}

export function fieldError(error: unknown, name: string): string | undefined {
  return error instanceof ApiProblem ? error.field(name) : undefined;
}

/** Adds a capital letter and a full stop, which the service's error details lack. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  const ended = /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
  return ended.charAt(0).toUpperCase() + ended.slice(1);
}

/** The error message as one sentence. */
export function errorText(error: unknown): string {
  return sentence(error instanceof Error ? error.message : String(error));
}
