import type { FetchAnswer } from '../../lib/http/fetch.ts';
import { retryAfter } from '../../lib/http/retry-after.ts';
import { member, textMember } from '../../lib/json/json-member.ts';
import { foreignAnswer } from '../answers.ts';
import type { Context, Failure } from '../channel.ts';

/** Classifies a failed response. The patterns match messages of LINE's servers. */
export function classifyFailure(answer: FetchAnswer | Failure, { clock }: Context): Failure {
  if (!('status' in answer)) return answer;
  const foreign = foreignAnswer(answer);
  if (foreign) return foreign;
  const { status } = answer;
  const code = String(status);
  const said = wordsOf(answer.json());
  const detail = said ?? `LINE answered ${status} without a reason`;
  if (status === 429) {
    // Rate limit, or monthly quota of the plan used up; `detail` says which.
    const seconds = retryAfter(answer.header('retry-after'), clock.now());
    const wait = seconds === undefined ? {} : { seconds };
    return { outcome: 'limited', whom: 'integration', ...wait, detail, code };
  }
  if (status >= 500 || status < 400 || said === undefined) {
    // 503 precedes any processing. After another 5xx, or a 2xx that cannot be parsed, the message may have been sent;
    // a 3xx or 4xx without LINE's error means that it was not.
    const maybeSent = status !== 503 && (status >= 500 || status < 300);
    return { outcome: 'transient', maybeSent, detail, code };
  }
  const permanent = { outcome: 'permanent', detail, code } as const;
  if (status === 401 || status === 403) return { ...permanent, blame: 'credentials' };
  const ofRecipient = status === 404 || /'to'|failed to send messages|not found/i.test(detail);
  return { ...permanent, blame: ofRecipient ? 'recipient' : 'content' };
}

/** https://developers.line.biz/en/reference/messaging-api/#error-responses */
function wordsOf(json: unknown): string | undefined {
  const message = textMember(json, 'message');
  const details = member(json, 'details');
  const each: unknown[] = Array.isArray(details) ? details : [];
  const more = each.map(
    (one) => `${textMember(one, 'property') ?? 'something'}: ${textMember(one, 'message') ?? ''}`,
  );
  return message === undefined ? undefined : [message, ...more].join('; ');
}
