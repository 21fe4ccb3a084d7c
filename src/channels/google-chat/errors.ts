import type { FetchAnswer } from '../../lib/http/fetch.ts';
import { listMember, textMember } from '../../lib/json/json-member.ts';
import type { Blame, Context, Failure } from '../channel.ts';
import { failureClassifier } from '../http-failure.ts';

/** The resource that a 404 refers to. */
type Missing = 'space' | 'message' | 'file';

/** Google's error status. */
export const statusIn = (answer: FetchAnswer) => textMember(answer.json(), 'error', 'status');

/** Classifies a failed response. https://google.aip.dev/193 */
export function classifyFailure(
  answer: FetchAnswer | Failure,
  context: Context,
  missing: Missing = 'space',
): Failure {
  return failureClassifier({
    vendor: 'Google Chat',
    read: (response) => ({
      code: statusIn(response),
      message: textMember(response.json(), 'error', 'message'),
    }),
    rateLimit({ status, answer: { text } }) {
      if (status !== 429) return undefined;
      // The limit of the space is much lower than the limit of the project.
      return /per ?project/i.test(text) ? 'integration' : 'recipient';
    },
    retrySeconds: delayIn,
    blame: ({ status, message }) => blameFor(status, message, missing),
  })(answer, context);
}

const ACCOUNT_ERROR = /api key|chat app not found|api has not been used|disabled|scope|credential/i;

function blameFor(status: number, detail: string, missing: Missing): Blame {
  if (status === 401 || ACCOUNT_ERROR.test(detail)) return 'credentials';
  if (status !== 403 && status !== 404) return 'content';
  return ({ space: 'recipient', message: 'unsupported', file: 'content' } as const)[missing];
}

/** https://google.aip.dev/194 names `RetryInfo`, whose delay is in seconds: `1.5s`. */
function delayIn(answer: FetchAnswer): number | undefined {
  const details = listMember(answer.json(), 'error', 'details');
  const [delay] = details.flatMap((each) => textMember(each, 'retryDelay') ?? []);
  const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(delay ?? '')?.[1];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds));
}
