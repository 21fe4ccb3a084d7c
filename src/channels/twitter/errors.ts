import type { FetchAnswer } from '../../lib/http/fetch.ts';
import { listMember, textMember } from '../../lib/json/json-member.ts';
import { foreignAnswer } from '../answers.ts';

/* Classifies errors of X. https://docs.x.com/x-api/fundamentals/response-codes-and-errors */

export type XFailure = { detail: string; code: string } & (
  | { outcome: 'limited'; whom: 'integration'; seconds?: number }
  | { outcome: 'transient'; maybeSent: boolean }
  | { outcome: 'permanent'; blame: 'credentials' | 'recipient' | 'content' }
);

/** Limits per day and per 15 minutes: the first exhausted one determines the wait. */
const WINDOWS = ['x-user-limit-24hour', 'x-app-limit-24hour', 'x-rate-limit'];

function secondsToWait(answer: FetchAnswer, now: number): number | undefined {
  const used = WINDOWS.find((name) => answer.header(`${name}-remaining`) === '0');
  const reset = Number(answer.header(`${used ?? 'x-rate-limit'}-reset`) ?? Number.NaN);
  return Number.isFinite(reset) ? Math.max(0, Math.ceil(reset - now / 1000)) : undefined;
}

/** Errors that concern the app, regardless of the recipient. */
const OF_APP = /client-forbidden|client-not-enrolled|oauth1-permissions|unsupported-authentication/;

/** Classifies a failed response. */
export function sortX(answer: FetchAnswer, now: number): XFailure {
  const foreign = foreignAnswer(answer);
  if (foreign) return foreign;
  const { status } = answer;
  const json = answer.json();
  const type = textMember(json, 'type') ?? '';
  const [own] = /[\w-]+$/.exec(type.startsWith('http') ? type : '') ?? [];
  const code = own ?? textMember(json, 'error') ?? String(status);
  const [first] = listMember(json, 'errors');
  const said =
    textMember(json, 'detail') ??
    textMember(json, 'error_description') ??
    textMember(first, 'message') ??
    textMember(json, 'message') ??
    textMember(json, 'title');
  const detail = said ?? `X answered ${status} without a reason`;
  if (status === 429) {
    const seconds = secondsToWait(answer, now);
    const wait = seconds === undefined ? {} : { seconds };
    return { outcome: 'limited', whom: 'integration', ...wait, detail, code };
  }
  if (status >= 500 || status < 400 || (said === undefined && status !== 401)) {
    const surely = status === 503 || (status >= 300 && status < 500);
    return { outcome: 'transient', maybeSent: !surely, detail, code };
  }
  const permanent = { outcome: 'permanent', detail, code } as const;
  if (status === 401 || OF_APP.test(type)) return { ...permanent, blame: 'credentials' };
  const isAbout = status === 403 || status === 404 || /participant/.test(answer.text);
  return { ...permanent, blame: isAbout ? 'recipient' : 'content' };
}
