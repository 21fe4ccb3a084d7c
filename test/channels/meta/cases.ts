import { type GraphFault, graphError, usage } from '../../emulators/meta/graph.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { WITHOUT_ANSWER, WITHOUT_ID, transient } from '../faults.ts';
import type { Case } from '../suite.ts';

/* Responses of Meta's Graph API and their outcomes, the same for every channel. */

type GraphCase = Case<Request, Reply | ConnectionFault>;

type Refusal = readonly [code: number, fault?: GraphFault];

const codeOf = (code: number, fault?: GraphFault) =>
  fault?.subcode === undefined ? String(code) : `${code}/${fault.subcode}`;

/** Error codes with the same blame. */
export function refusals(
  blame: 'credentials' | 'recipient' | 'content' | 'window_closed' | 'template_refused',
  errors: readonly Refusal[],
): GraphCase[] {
  return errors.map(([code, fault]) => ({
    it: `blames the ${blame} for error ${codeOf(code, fault)}`,
    answers: [graphError(code, 'this is why', fault)],
    outcome: {
      outcome: 'permanent',
      blame,
      code: codeOf(code, fault),
      detail: fault?.details ?? 'this is why',
    },
  }));
}

const limits = [4, 17, 32, 613, 80_006, 80_007].map((code): GraphCase => ({
  it: `rate limited: waits after error ${code}`,
  answers: [graphError(code, 'too many calls')],
  outcome: { outcome: 'limited', scope: 'integration', code: String(code) },
}));

const failures: GraphCase[] = [
  ...(
    [
      [500, 1, true],
      [503, 2, false],
      [500, 2, true],
      [400, 1200, false],
      [500, 99_999, true],
    ] as const
  ).map(([status, code, maybeSent]): GraphCase => ({
    it: `retries after error ${code} with status ${status}`,
    answers: [graphError(code, 'please retry', { status })],
    outcome: transient(maybeSent, String(code)),
  })),
  {
    it: 'retries after an error marked as transient',
    answers: [graphError(99_999, 'new', { is_transient: true })],
    outcome: transient(true, '99999'),
  },
  ...[500, 502, 504].map((status): GraphCase => ({
    it: `retries after ${status}: the message may have been sent`,
    answers: [{ status, body: '<html>' }],
    outcome: transient(true, String(status)),
  })),
  ...[302, 403, 404, 503].map((status): GraphCase => ({
    it: `retries after ${status} from something other than Meta: the message was not sent`,
    answers: [{ status, headers: { location: 'https://example.com/' }, body: 'no' }],
    outcome: transient(false, String(status)),
  })),
];

export const GRAPH_CASES: readonly GraphCase[] = [
  ...refusals('credentials', [
    [0],
    [3, { status: 500 }],
    [10],
    [100, { subcode: 33 }],
    [102],
    [190, { status: 401, subcode: 463 }],
    [200],
    [230],
    [299],
    [368],
  ]),
  ...refusals('content', [[100], [99_999]]),
  ...limits,
  {
    it: 'rate limited: waits as many minutes as the response says',
    answers: [graphError(80_006, 'too many calls', { headers: usage(2) })],
    outcome: { outcome: 'limited', scope: 'integration', seconds: 120, code: '80006' },
  },
  {
    it: 'rate limited: waits when the response says that the limit has passed',
    answers: [graphError(4, 'too many calls', { headers: usage(0) })],
    outcome: { outcome: 'limited', scope: 'integration', code: '4' },
  },
  {
    it: 'rate limited: waits when the response is not JSON',
    answers: [{ status: 429, headers: { 'retry-after': '7' }, body: 'slow down' }],
    outcome: { outcome: 'limited', scope: 'integration', seconds: 7, code: '429' },
  },
  ...failures,
  {
    it: 'blames the credentials when the token is wrong and does not repeat it',
    credentials: { token: 'EAAfakeTokenThatWasRevoked' },
    outcome: {
      outcome: 'permanent',
      blame: 'credentials',
      code: '190',
      detail: 'Malformed access token ***',
    },
  },
  ...['', 'fake token', 'fake\r\nx: y', 'fake\u0000', 'fäke'].map((token): GraphCase => ({
    it: `sends no request with the malformed token ${JSON.stringify(token)}`,
    credentials: { token },
    sees: [],
    outcome: { outcome: 'permanent', blame: 'credentials' },
  })),
  {
    it: 'check: rejects an unknown token',
    calls: 'check',
    credentials: { token: 'EAAfake' },
    outcome: { outcome: 'permanent', blame: 'credentials', code: '190' },
  },
  {
    it: 'check: is limited when it asks too often',
    calls: 'check',
    answers: [graphError(4, 'too many calls', { headers: usage(1) })],
    outcome: { outcome: 'limited', scope: 'integration', seconds: 60, code: '4' },
  },
  ...WITHOUT_ID,
  ...WITHOUT_ANSWER,
];
