import type { FetchAnswer } from '../lib/http/fetch.ts';
import { retryAfter } from '../lib/http/retry-after.ts';
import type { Clock } from '../lib/runtime/clock.ts';
import { type Blame, type Failure, type Outcome, isFailure } from './outcome.ts';
import { foreignAnswer } from './unexpected-success.ts';

/** The vendor's error in a response. */
interface VendorError {
  code?: string | undefined;
  message?: string | undefined;
  /** Whether the response is in the vendor's error format; by default, whether it has a code. */
  isVendorFormat?: boolean;
}

/** A failed response. The code is the HTTP status if the vendor states none. */
export interface FailedResponse {
  status: number;
  code: string;
  message: string;
  answer: FetchAnswer;
}

/** What a rate limit applies to. */
type LimitScope = Extract<Outcome, { outcome: 'limited' }>['scope'];

/** The facts about a vendor's errors. Only `vendor` and `read` are required: everything else has a default. */
interface FailureRules {
  vendor: string;
  /** The failure when no request was made because the credentials are malformed. */
  malformed?: string;
  read(answer: FetchAnswer): VendorError;
  /** Whether the vendor also returns errors with status 2xx. */
  errorsIn2xx?: true;
  /** Whether `detail` begins with the vendor and code, because its messages are unclear without them. */
  isPrefixed?: true;
  /** Whether the customer configures the server, so that a redirect means a wrong address. */
  isOwnServer?: true;
  /** What the vendor limits, if this is a rate limit; by default, status 429 limits the integration. */
  rateLimit?(response: FailedResponse): LimitScope | undefined;
  /** The seconds to wait after a rate limit, where the vendor does not use `Retry-After`. */
  retrySeconds?(answer: FetchAnswer, now: number): number | undefined;
  /**
   * Exceptions. By default, a 5xx and a response that is not in the vendor's error format are transient, and any other
   * error is permanent.
   */
  exception?(response: FailedResponse): 'permanent' | 'unsent' | 'maybe sent' | undefined;
  /** The error codes by cause. */
  codes?: Partial<Readonly<Record<Blame, RegExp | readonly string[]>>>;
  /** The cause of a permanent failure with any other code; the content by default. */
  blame?(response: FailedResponse): Blame | undefined;
}

/** A response, or its substitute where no request was made. */
type CallResult = FetchAnswer | Failure | undefined;

/** Classifies the failed responses of a vendor. */
export function failureClassifier(
  rules: FailureRules,
): (answer: CallResult, context: { clock: Clock }) => Failure {
  return (answer, { clock }) => {
    if (isFailure(answer)) return answer;
    if (answer) return foreignAnswer(answer) ?? classify(rules, answer, clock.now());
    const detail = rules.malformed ?? `invalid ${rules.vendor} credentials`;
    return { outcome: 'permanent', blame: 'credentials', detail };
  };
}

function classify(rules: FailureRules, answer: FetchAnswer, now: number): Failure {
  const { status } = answer;
  const error = status >= 400 || rules.errorsIn2xx ? rules.read(answer) : {};
  const { code = String(status), message = '', isVendorFormat = error.code !== undefined } = error;
  const response = { status, code, message, answer };
  const reason = { detail: detailOf(rules, code, message), code };
  const limited = (rules.rateLimit ?? limitsIntegration)(response);
  if (limited) {
    const seconds =
      retryAfter(answer.header('retry-after'), now) ?? rules.retrySeconds?.(answer, now);
    return {
      outcome: 'limited',
      scope: limited,
      ...(seconds !== undefined && { seconds }),
      ...reason,
    };
  }
  if (rules.isOwnServer && status >= 300 && status < 400) {
    const detail = `${reason.detail}; redirects are not followed`;
    return { outcome: 'permanent', blame: 'credentials', detail, code };
  }
  const exception = rules.exception?.(response);
  if (exception !== 'permanent' && (exception || status >= 500 || !isVendorFormat)) {
    return { outcome: 'transient', maybeSent: isMaybeSent(status, exception), ...reason };
  }
  const blame = blameByCode(rules, code) ?? rules.blame?.(response) ?? 'content';
  return { outcome: 'permanent', blame, ...reason };
}

function detailOf({ vendor, isPrefixed }: FailureRules, code: string, message: string): string {
  if (message === '') return `${vendor} answered ${code}`;
  return isPrefixed ? `${vendor} answered ${code}: ${message}` : message;
}

const limitsIntegration = ({ status }: FailedResponse) =>
  status === 429 ? 'integration' : undefined;

/**
 * 503 precedes any processing. After another 5xx, or a 2xx that cannot be parsed, the message may have been sent; a 3xx
 * or 4xx without the vendor's error means that it was not.
 */
function isMaybeSent(status: number, exception: 'unsent' | 'maybe sent' | undefined): boolean {
  if (status === 503) return false;
  return exception ? exception === 'maybe sent' : status >= 500 || status < 300;
}

function blameByCode({ codes = {} }: FailureRules, code: string): Blame | undefined {
  const causes = [
    'credentials',
    'window_closed',
    'template_refused',
    'recipient',
    'unsupported',
    'content',
  ] as const;
  return causes.find((cause) => {
    const matcher = codes[cause];
    return matcher instanceof RegExp ? matcher.test(code) : matcher?.includes(code);
  });
}
