import type { FetchAnswer } from '../../lib/http/fetch.ts';
import { retryAfter } from '../../lib/http/retry-after.ts';
import { member, textMember } from '../../lib/json/json-member.ts';
import { foreignAnswer } from '../answers.ts';

/* Classifies failed responses of Google Chat. https://google.aip.dev/193 */

export type GoogleFailure =
  | {
      outcome: 'limited';
      whom: 'integration' | 'recipient';
      seconds?: number;
      detail: string;
      code: string;
    }
  | { outcome: 'transient'; maybeSent: boolean; detail: string; code: string }
  | { outcome: 'permanent'; blame: Blame; detail: string; code: string };

type Blame = 'credentials' | 'recipient' | 'content' | 'unsupported';
/** The resource that a 404 refers to. */
export type Missing = 'space' | 'message' | 'file';

/** Google's error status. */
export const statusIn = (answer: FetchAnswer) => textMember(answer.json(), 'error', 'status');

export function sortGoogle(answer: FetchAnswer, now: number, missing: Missing): GoogleFailure {
  const foreign = foreignAnswer(answer);
  if (foreign) return foreign;
  const { status } = answer;
  const error = statusIn(answer);
  const code = error ?? String(status);
  const detail =
    textMember(answer.json(), 'error', 'message') ??
    `Google Chat answered ${status} without a reason`;
  if (status === 429) {
    // The limit of the space is much lower.
    const whom = /per ?project/i.test(answer.text) ? 'integration' : 'recipient';
    const seconds = delayIn(answer) ?? retryAfter(answer.header('retry-after'), now);
    const wait = seconds === undefined ? {} : { seconds };
    return { outcome: 'limited', whom, ...wait, detail, code };
  }
  if (status >= 500 || status < 400 || error === undefined) {
    // 503 precedes any processing. After another 5xx, or a 2xx that cannot be parsed, the message may have been sent;
    // a 3xx or 4xx without Google's error means that it was not.
    const maybeSent = status !== 503 && (status >= 500 || status < 300);
    return { outcome: 'transient', maybeSent, detail, code };
  }
  return { outcome: 'permanent', blame: blameFor(status, detail, missing), detail, code };
}

const OF_ACCOUNT = /api key|chat app not found|api has not been used|disabled|scope|credential/i;

function blameFor(status: number, detail: string, missing: Missing): Blame {
  if (status === 401 || OF_ACCOUNT.test(detail)) return 'credentials';
  if (status !== 403 && status !== 404) return 'content';
  return ({ space: 'recipient', message: 'unsupported', file: 'content' } as const)[missing];
}

/** https://google.aip.dev/194 names `RetryInfo`, whose delay is in seconds: `1.5s`. */
function delayIn(answer: FetchAnswer): number | undefined {
  const details = member(answer.json(), 'error', 'details');
  const all: unknown[] = Array.isArray(details) ? details : [];
  const [delay] = all.flatMap((each) => textMember(each, 'retryDelay') ?? []);
  const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(delay ?? '')?.[1];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds));
}
