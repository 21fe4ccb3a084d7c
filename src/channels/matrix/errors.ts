import type { FetchAnswer } from '../../lib/http/fetch.ts';
import { retryAfter } from '../../lib/http/retry-after.ts';
import { integerMember, textMember } from '../../lib/json/json-member.ts';
import { foreignAnswer } from '../answers.ts';

/* Classifies refusals of a homeserver. */

type Blamed = 'credentials' | 'recipient';

export type MatrixFailure = { detail: string; code: string } & (
  | { outcome: 'limited'; whom: 'integration'; seconds?: number }
  | { outcome: 'transient'; maybeSent: boolean }
  | { outcome: 'permanent'; blame: Blamed | 'content' }
);

/** https://spec.matrix.org/latest/client-server-api/#standard-error-response */
const BLAMED: Readonly<Record<Blamed, RegExp>> = {
  credentials:
    /^M_(UNKNOWN_TOKEN|MISSING_TOKEN|UNAUTHORIZED|USER_\w+|CONSENT_NOT_GIVEN|EXCLUSIVE|UNKNOWN_DEVICE|UNRECOGNIZED)$/,
  recipient:
    /^M_(FORBIDDEN|NOT_FOUND|INVITE_BLOCKED|GUEST_ACCESS_FORBIDDEN|\w+_ROOM_VERSION|BAD_STATE)$/,
};

/** Classifies a failed response. */
export function sortMatrix(answer: FetchAnswer, now: number): MatrixFailure {
  const foreign = foreignAnswer(answer);
  if (foreign) return foreign;
  const { status } = answer;
  const json = answer.json();
  const error = textMember(json, 'errcode');
  const code = error ?? String(status);
  const said = textMember(json, 'error') ?? '';
  const detail = `the homeserver answered ${code}${said === '' ? '' : `: ${said}`}`;
  if (status === 429 || error === 'M_LIMIT_EXCEEDED') {
    const told = Number(integerMember(json, 'retry_after_ms') ?? Number.NaN) / 1000;
    const seconds = retryAfter(answer.header('retry-after'), now) ?? Math.ceil(told);
    const wait = Number.isNaN(seconds) ? {} : { seconds };
    return { outcome: 'limited', whom: 'integration', ...wait, detail, code };
  }
  if (status >= 300 && status < 400) {
    const away = `${detail}, and leads away`;
    return { outcome: 'permanent', blame: 'credentials', detail: away, code };
  }
  if (status >= 500 || error === undefined || error === 'M_RESOURCE_LIMIT_EXCEEDED') {
    // 503 precedes any processing. After another 5xx, or a 2xx that cannot be parsed, the message may have been sent;
    // after a refusal it was not.
    const maybeSent = status !== 503 && (status >= 500 || status < 300);
    return { outcome: 'transient', maybeSent, detail, code };
  }
  const blame = (['credentials', 'recipient'] as const).find((each) => BLAMED[each].test(error));
  return { outcome: 'permanent', blame: blame ?? 'content', detail, code };
}
