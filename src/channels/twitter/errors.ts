import type { FetchAnswer } from '../../lib/http/fetch.ts';
import { listMember, textMember } from '../../lib/json/json-member.ts';
import { failureClassifier } from '../http-failure.ts';

/** Limits per day and per 15 minutes: the first exhausted one determines the wait. */
const WINDOWS = ['x-user-limit-24hour', 'x-app-limit-24hour', 'x-rate-limit'];

function secondsToWait(answer: FetchAnswer, now: number): number | undefined {
  const exhausted = WINDOWS.find((name) => answer.header(`${name}-remaining`) === '0');
  const reset = Number(answer.header(`${exhausted ?? 'x-rate-limit'}-reset`) ?? Number.NaN);
  return Number.isFinite(reset) ? Math.max(0, Math.ceil(reset - now / 1000)) : undefined;
}

/** Errors that concern the app, regardless of the recipient. */
const APP_ERROR =
  /client-forbidden|client-not-enrolled|oauth1-permissions|unsupported-authentication/;

/** Classifies a failed response. https://docs.x.com/x-api/fundamentals/response-codes-and-errors */
export const classifyFailure = failureClassifier({
  vendor: 'X',
  read(answer) {
    const json = answer.json();
    const type = textMember(json, 'type') ?? '';
    const [code] = /[\w-]+$/.exec(type.startsWith('http') ? type : '') ?? [];
    const message =
      textMember(json, 'detail') ??
      textMember(json, 'error_description') ??
      textMember(listMember(json, 'errors')[0], 'message') ??
      textMember(json, 'message') ??
      textMember(json, 'title');
    return {
      code: code ?? textMember(json, 'error'),
      message,
      isVendorFormat: message !== undefined,
    };
  },
  retrySeconds: secondsToWait,
  exception: ({ status }) => (status === 401 ? 'permanent' : undefined),
  blame({ status, answer }) {
    const isAppError = APP_ERROR.test(textMember(answer.json(), 'type') ?? '');
    if (status === 401 || isAppError) return 'credentials';
    const isRecipientError = status === 403 || status === 404 || /participant/.test(answer.text);
    return isRecipientError ? 'recipient' : 'content';
  },
});
