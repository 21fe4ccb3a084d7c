import type { Fetch, FetchAnswer, FetchRequest } from '../../lib/http/fetch.ts';
import { integerMember, member, textMember } from '../../lib/json/json-member.ts';
import type { Clock } from '../../lib/runtime/clock.ts';
import type { Failure } from '../channel.ts';
import { type FailedResponse, failureClassifier } from '../http-failure.ts';

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

/** The credentials, and the URL of the API. */
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
  more: Pick<FetchRequest, 'maxBytes'> = {},
): Promise<FetchAnswer | undefined> {
  if (!TOKEN.test(token)) return undefined;
  const authorization = `Bearer ${token}`;
  if (!body) return fetch(`${url}/${path}`, { headers: { authorization }, ...more });
  return fetch(`${url}/${path}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...more,
  });
}

type ErrorMeaning =
  | 'limited'
  | 'limited to recipient'
  | 'maybe sent'
  | 'unsent'
  | 'credentials'
  | 'recipient'
  | 'window_closed'
  | 'template_refused';

/** The meaning of an error code, with or without subcode. Unlisted errors concern the content. */
const MEANINGS: readonly (readonly [ErrorMeaning, readonly string[]])[] = [
  // Limits of the app, page, account or number; a number often reported as spam.
  ['limited', ['4', '17', '32', '613', '80001', '80002', '80006', '80007', '130429', '131048']],
  ['limited to recipient', ['131056']],
  ['maybe sent', ['1', '2', '131000']],
  // Overload, maintenance, temporary failures.
  ['unsent', ['131016', '131057', '133004', '1200']],
  // The token, its permissions, the account, its payment, its number.
  ['credentials', ['0', '3', '10', '33', '100/33', '102', '190', '368', '131005', '131031']],
  ['credentials', ['131037', '131042', '131045', '133006', '133010', '133015']],
  // The user is unreachable or opted out.
  ['recipient', ['551', '100/2018001', '100/2534014', '200/1545041', '200/2018108']],
  ['recipient', ['130472', '130497', '131021', '131026', '131030', '131049', '131050']],
  // The user last wrote too long ago.
  ['window_closed', ['131047', '10/2018278', '10/2534022']],
  // The template, its language or its parameters do not exist, do not match, or it is paused or disabled.
  ['template_refused', ['132000', '132001', '132005', '132007', '132012', '132015', '132016']],
];

const MEANING = new Map(
  MEANINGS.flatMap(([meaning, codes]) => codes.map((code) => [code, meaning])),
);

function meaningOf({ status, code: codes, answer }: FailedResponse): ErrorMeaning | undefined {
  if (integerMember(answer.json(), 'error', 'code') === undefined) {
    return status === 429 ? 'limited' : undefined;
  }
  const exact = MEANING.get(codes);
  if (exact) return exact;
  const [code = '', subcode = ''] = codes.split('/');
  // A missing permission has no subcode; with one of these subcodes, only this user cannot be written to.
  if (code === '10' && /^(2018|2534)\d{3}$/.test(subcode)) return 'recipient';
  if (/^2\d\d$/.test(code)) return 'credentials';
  return MEANING.get(code);
}

const BLAMED = ['credentials', 'recipient', 'window_closed', 'template_refused'] as const;

const isBlamed = (meaning: ErrorMeaning): meaning is (typeof BLAMED)[number] =>
  BLAMED.some((one) => one === meaning);

/** Classifies a failed response. */
export function classifyFailure(answer: FetchAnswer | undefined, context: GraphContext): Failure {
  return failureClassifier({
    vendor: 'Meta',
    malformed: 'invalid access token',
    errorsIn2xx: true,
    read(response) {
      const error = member(response.json(), 'error');
      const code = integerMember(error, 'code');
      const subcode = integerMember(error, 'error_subcode');
      return {
        code: subcode === undefined ? code : `${code}/${subcode}`,
        message: messageOf(error, context),
        isVendorFormat: code !== undefined,
      };
    },
    rateLimit(response) {
      const meaning = meaningOf(response);
      if (meaning === 'limited') return 'integration';
      return meaning === 'limited to recipient' ? 'recipient' : undefined;
    },
    retrySeconds: secondsToRegain,
    exception(response) {
      const meaning = meaningOf(response);
      if (meaning !== undefined && isBlamed(meaning)) return 'permanent';
      if (meaning === 'unsent' || meaning === 'maybe sent') return meaning;
      const isTransient = member(response.answer.json(), 'error', 'is_transient') === true;
      return isTransient ? 'maybe sent' : undefined;
    },
    blame(response) {
      const meaning = meaningOf(response);
      return meaning !== undefined && isBlamed(meaning) ? meaning : 'content';
    },
  })(answer, context);
}

/** Meta's message repeats a malformed token, which must be redacted. */
function messageOf(error: unknown, { credentials: { token } }: GraphContext): string | undefined {
  const detail = textMember(error, 'error_data', 'details') ?? textMember(error, 'message');
  return token ? detail?.replaceAll(token, '***') : detail;
}

const REGAIN = /"estimated_time_to_regain_access"\s*:\s*(\d{1,6})/g;

/**
 * The duration of a limit, if stated, is in minutes:
 * https://developers.facebook.com/docs/graph-api/overview/rate-limiting
 */
function secondsToRegain(answer: FetchAnswer): number | undefined {
  const usage = answer.header('x-business-use-case-usage') ?? '';
  const minutes = Math.max(0, ...Array.from(usage.matchAll(REGAIN), ([, each]) => Number(each)));
  return minutes > 0 ? minutes * 60 : undefined;
}
