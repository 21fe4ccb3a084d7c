import type { Fetch, FetchAnswer } from '../../lib/http/fetch.ts';
import { retryAfter } from '../../lib/http/retry-after.ts';
import { integerMember, member, textMember } from '../../lib/json/json-member.ts';
import type { Clock } from '../../lib/runtime/clock.ts';
import { foreignAnswer } from '../answers.ts';

/*
 * Meta's Graph API, used by WhatsApp, Messenger and Instagram. Errors have codes and subcodes:
 * https://developers.facebook.com/docs/graph-api/guides/error-handling
 * WhatsApp: https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes
 * Messenger: https://developers.facebook.com/documentation/business-messaging/messenger-platform/error-codes
 */

/**
 * For WhatsApp, Messenger and Instagram. The latest version in
 * https://developers.facebook.com/docs/graph-api/changelog, read on 2026-11-17; released on 29 July 2026. Meta
 * supports each version for at least two years.
 */
export const GRAPH_VERSION = 'v26.0';

/** The credentials, and the address of the API. */
export interface GraphContext {
  url: string;
  credentials: { token?: string };
  fetch: Fetch;
  clock: Clock;
}

const TOKEN = /^[\x21-\x7e]{1,2000}$/;

/** Undefined when the token contains characters that headers cannot hold. Sends a POST if there is a body. */
export async function callGraph(
  path: string,
  { url, credentials: { token = '' }, fetch }: GraphContext,
  body?: object,
): Promise<FetchAnswer | undefined> {
  if (!TOKEN.test(token)) return undefined;
  const authorization = `Bearer ${token}`;
  if (!body) return fetch(`${url}/${path}`, { headers: { authorization } });
  return fetch(`${url}/${path}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

export type GraphFailure =
  | {
      outcome: 'limited';
      whom: 'integration' | 'recipient';
      seconds?: number;
      detail: string;
      code: string;
    }
  | { outcome: 'transient'; maybeSent: boolean; detail: string; code: string }
  | {
      outcome: 'permanent';
      blame: 'credentials' | 'recipient' | 'content';
      detail: string;
      code?: string;
    };

type Meaning =
  | 'limited'
  | 'limited to recipient'
  | 'perhaps sent'
  | 'not sent'
  | 'credentials'
  | 'recipient';

/** The meaning of an error code, with or without subcode. Unlisted errors concern the content. */
const MEANINGS: readonly (readonly [Meaning, readonly string[]])[] = [
  // Limits of the app, page, account or number; a number often reported as spam.
  ['limited', ['4', '17', '32', '613', '80001', '80002', '80006', '80007', '130429', '131048']],
  ['limited to recipient', ['131056']],
  ['perhaps sent', ['1', '2', '131000']],
  // Overload, maintenance, temporary failures.
  ['not sent', ['131016', '131057', '133004', '1200']],
  // The token, its permissions, the account, its payment, its number.
  ['credentials', ['0', '3', '10', '33', '100/33', '102', '190', '368', '131005', '131031']],
  ['credentials', ['131037', '131042', '131045', '133006', '133010', '133015']],
  // The user is unreachable, opted out, or last wrote too long ago.
  ['recipient', ['551', '100/2018001', '100/2534014', '200/1545041', '200/2018108']],
  ['recipient', ['130472', '130497', '131021', '131026', '131030', '131047', '131049', '131050']],
];

const MEANING = new Map(
  MEANINGS.flatMap(([meaning, codes]) => codes.map((code) => [code, meaning])),
);

function meaningOf(code: string, subcode: string | undefined): Meaning | undefined {
  const exact = MEANING.get(`${code}/${subcode}`);
  if (exact) return exact;
  // A missing permission has no subcode; with one of these, only this user cannot be written to.
  if (code === '10' && /^(2018|2534)\d{3}$/.test(subcode ?? '')) return 'recipient';
  if (/^2\d\d$/.test(code)) return 'credentials';
  return MEANING.get(code);
}

/** Classifies a failed response. */
export function sortGraph(answer: FetchAnswer | undefined, context: GraphContext): GraphFailure {
  if (!answer) {
    const detail = 'this is not an access token of Meta';
    return { outcome: 'permanent', blame: 'credentials', detail };
  }
  const foreign = foreignAnswer(answer);
  if (foreign) return foreign;
  const { status } = answer;
  const error = member(answer.json(), 'error');
  const number = integerMember(error, 'code');
  const detail = detailOf(error, context) ?? `Meta answered ${status} without a reason`;
  if (number === undefined) {
    const code = String(status);
    if (status === 429) return limited('integration', detail, code, answer, context);
    // 503 precedes any processing. After another 5xx, or a 2xx that cannot be parsed, the message may have been sent;
    // a 3xx or 4xx without Meta's error means that it was not.
    const maybeSent = status === 503 ? false : status >= 500 || status < 300;
    return { outcome: 'transient', maybeSent, detail, code };
  }
  const subcode = integerMember(error, 'error_subcode');
  const code = subcode === undefined ? number : `${number}/${subcode}`;
  const meaning = meaningOf(number, subcode);
  if (meaning === 'limited') return limited('integration', detail, code, answer, context);
  if (meaning === 'limited to recipient') {
    return limited('recipient', detail, code, answer, context);
  }
  if (meaning === 'credentials' || meaning === 'recipient') {
    return { outcome: 'permanent', blame: meaning, detail, code };
  }
  const isPassing =
    meaning !== undefined || status >= 500 || member(error, 'is_transient') === true;
  if (!isPassing) return { outcome: 'permanent', blame: 'content', detail, code };
  const maybeSent = meaning !== 'not sent' && status !== 503;
  return { outcome: 'transient', maybeSent, detail, code };
}

/** Meta's message repeats a malformed token, which must be redacted. */
function detailOf(error: unknown, { credentials: { token } }: GraphContext): string | undefined {
  const detail = textMember(error, 'error_data', 'details') ?? textMember(error, 'message');
  return token ? detail?.replaceAll(token, '***') : detail;
}

const REGAIN = /"estimated_time_to_regain_access"\s*:\s*(\d{1,6})/g;

/**
 * The duration of a limit, if stated, is in minutes:
 * https://developers.facebook.com/docs/graph-api/overview/rate-limiting
 */
function limited(
  whom: 'integration' | 'recipient',
  detail: string,
  code: string,
  answer: FetchAnswer,
  { clock }: GraphContext,
): GraphFailure {
  const usage = answer.header('x-business-use-case-usage') ?? '';
  const minutes = Math.max(0, ...Array.from(usage.matchAll(REGAIN), ([, each]) => Number(each)));
  const seconds =
    minutes > 0 ? minutes * 60 : retryAfter(answer.header('retry-after'), clock.now());
  return { outcome: 'limited', whom, ...(seconds !== undefined && { seconds }), detail, code };
}
