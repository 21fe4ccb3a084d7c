import type { FetchAnswer } from '../../lib/fetch.ts';
import { member, textMember } from '../../lib/member.ts';
import { retryAfter } from '../../lib/retry-after.ts';
import { foreignAnswer } from '../answers.ts';

/* What an answer of Google Chat means that is no success. https://google.aip.dev/193 */

export type GoogleFailure =
  | {
      outcome: 'limited';
      whom: 'integration' | 'recipient';
      seconds?: number;
      detail: string;
      code: string;
    }
  | { outcome: 'transient'; perhapsSent: boolean; detail: string; code: string }
  | { outcome: 'permanent'; blame: Blame; detail: string; code: string };

type Blame = 'credentials' | 'recipient' | 'content' | 'unsupported';
/** What is not there when something is not. */
export type Missing = 'space' | 'message' | 'file';

/** What Google's answer calls the error. */
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
    // The space's limit is the lower one by far.
    const whom = /per ?project/i.test(answer.text) ? 'integration' : 'recipient';
    const seconds = delayIn(answer) ?? retryAfter(answer.header('retry-after'), now);
    const wait = seconds === undefined ? {} : { seconds };
    return { outcome: 'limited', whom, ...wait, detail, code };
  }
  if (status >= 500 || status < 400 || error === undefined) {
    // 503 is said before anything is done. With any other the message may have gone out, as it may
    // when a success cannot be read; only a refusal that is not Google's own leaves no doubt.
    const perhapsSent = status !== 503 && (status >= 500 || status < 300);
    return { outcome: 'transient', perhapsSent, detail, code };
  }
  return { outcome: 'permanent', blame: blameFor(status, detail, missing), detail, code };
}

const OF_ACCOUNT = /api key|chat app not found|api has not been used|disabled|scope|credential/i;

function blameFor(status: number, detail: string, missing: Missing): Blame {
  if (status === 401 || OF_ACCOUNT.test(detail)) return 'credentials';
  if (status !== 403 && status !== 404) return 'content';
  return ({ space: 'recipient', message: 'unsupported', file: 'content' } as const)[missing];
}

/** https://google.aip.dev/194 names `RetryInfo`, whose delay is written in seconds: `1.5s`. */
function delayIn(answer: FetchAnswer): number | undefined {
  const details = member(answer.json(), 'error', 'details');
  const all: unknown[] = Array.isArray(details) ? details : [];
  const [delay] = all.flatMap((each) => textMember(each, 'retryDelay') ?? []);
  const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(delay ?? '')?.[1];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds));
}
