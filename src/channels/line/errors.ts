import type { FetchAnswer } from '../../lib/fetch.ts';
import { member, textMember } from '../../lib/member.ts';
import { retryAfter } from '../../lib/retry-after.ts';
import { foreignAnswer } from '../answers.ts';
import type { Context, Failure } from '../channel.ts';

/** What an answer means that is no success. The words are those of the vendor's servers. */
export function sort(answer: FetchAnswer | Failure, { clock }: Context): Failure {
  if (!('status' in answer)) return answer;
  const foreign = foreignAnswer(answer);
  if (foreign) return foreign;
  const { status } = answer;
  const code = String(status);
  const said = wordsOf(answer.json());
  const detail = said ?? `LINE answered ${status} without a reason`;
  if (status === 429) {
    // Too fast, or the plan's messages of this month are used up; `detail` says which.
    const seconds = retryAfter(answer.header('retry-after'), clock.now());
    const wait = seconds === undefined ? {} : { seconds };
    return { outcome: 'limited', whom: 'integration', ...wait, detail, code };
  }
  if (status >= 500 || status < 400 || said === undefined) {
    // 503 is said before anything is done. With any other the message may have gone out, as it may
    // when a success cannot be read; only a refusal that is not LINE's own leaves no doubt.
    const perhapsSent = status !== 503 && (status >= 500 || status < 300);
    return { outcome: 'transient', perhapsSent, detail, code };
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
