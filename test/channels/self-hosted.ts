import type { ConnectionFault, Reply, Request } from '../emulators/server/http.ts';
import { transient } from './faults.ts';
import type { Case } from './suite.ts';

/* Cases for every channel whose server is the customer's own, named by `address`. */

type HttpCase = Case<Request, Reply | ConnectionFault>;

/** Invalid server addresses. */
export const WITHOUT_ADDRESS: readonly HttpCase[] = [
  '',
  'example.org',
  'ftp://example.org',
  'http://a:b@127.0.0.1',
].map((address) => ({
  it: `sends no request to the invalid address ${JSON.stringify(address)}`,
  credentials: { address },
  sees: [],
  outcome: { outcome: 'permanent', blame: 'credentials', detail: 'address' },
}));

/** Tokens that cannot be part of a header. */
export const WITHOUT_TOKEN: readonly HttpCase[] = [
  '',
  'fake token',
  'fake\r\nx: y',
  'fake\u0000',
  'fäke',
].map((token) => ({
  it: `sends no request with the malformed token ${JSON.stringify(token)}`,
  credentials: { token },
  sees: [],
  outcome: { outcome: 'permanent', blame: 'credentials' },
}));

/** A gateway answers in place of the server. */
export const BEHIND_GATEWAY: readonly HttpCase[] = [
  ...([500, 502, 504] as const).map((status): HttpCase => ({
    it: `retries after ${status}: the message may have been sent`,
    answers: [{ status, body: '<html>' }],
    outcome: transient(true, String(status)),
  })),
  ...([403, 404, 503] as const).map((status): HttpCase => ({
    it: `retries after ${status} from something other than the server: the message was not sent`,
    answers: [{ status, body: '<html>' }],
    outcome: transient(false, String(status)),
  })),
  {
    it: 'blames the credentials when the address redirects and does not follow',
    answers: [{ status: 301, headers: { location: 'https://example.com/' }, body: '' }],
    sees: [{}],
    outcome: { outcome: 'permanent', blame: 'credentials', code: '301' },
  },
];

/** Texts that must arrive unchanged where nothing in them is markup. */
export const ODD_TEXTS: Readonly<Record<string, string>> = {
  'ordinary text': 'Good morning!',
  emoji: '👩‍👩‍👧‍👦 🏳️‍🌈 👋🏽',
  'right-to-left text': 'שלום עולם مرحبا \u202eabc\u202c',
  'line breaks and quotes': 'one\ntwo\r\n"three" four\u2028five',
};
