import type { Accident, Reply, Request } from '../emulators/server/http.ts';
import { transient } from './faults.ts';
import type { Case } from './suite.ts';

/* What happens to every channel whose server is the tenant's own, named by `address`. */

type HttpCase = Case<Request, Reply | Accident>;

/** Addresses at which there can be no server. */
export const WITHOUT_ADDRESS: readonly HttpCase[] = [
  '',
  'example.org',
  'ftp://example.org',
  'http://a:b@127.0.0.1',
].map((address) => ({
  it: `asks nobody at ${JSON.stringify(address)}`,
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
  it: `asks nobody about the token ${JSON.stringify(token)}`,
  credentials: { token },
  sees: [],
  outcome: { outcome: 'permanent', blame: 'credentials' },
}));

/** Somebody between us and the server answers in its place. */
export const BEHIND_GATEWAY: readonly HttpCase[] = [
  ...([500, 502, 504] as const).map((status): HttpCase => ({
    it: `tries again after ${status}, when it may have been sent`,
    answers: [{ status, body: '<html>' }],
    outcome: transient(true, String(status)),
  })),
  ...([403, 404, 503] as const).map((status): HttpCase => ({
    it: `tries again after ${status} that is not the server's own, when it was surely not sent`,
    answers: [{ status, body: '<html>' }],
    outcome: transient(false, String(status)),
  })),
  {
    it: 'blames the credentials when the address leads elsewhere, and does not follow',
    answers: [{ status: 301, headers: { location: 'https://example.com/' }, body: '' }],
    sees: [{}],
    outcome: { outcome: 'permanent', blame: 'credentials', code: '301' },
  },
];

/** What must arrive as it was written, wherever nothing in it is markup. */
export const ODD_TEXTS: Readonly<Record<string, string>> = {
  'ordinary text': 'Good morning!',
  emoji: '👩‍👩‍👧‍👦 🏳️‍🌈 👋🏽',
  'text from right to left': 'שלום עולם مرحبا \u202eabc\u202c',
  'line breaks and quotes': 'one\ntwo\r\n"three" four\u2028five',
};
