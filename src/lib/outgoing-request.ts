import { inWords } from './dial.ts';
import { FetchRefusal, type FetchRequest } from './fetch.ts';
import { remembered } from './remembered.ts';
import { VERSION } from './version.ts';

/** Where a request goes. */
interface Destination {
  origin: string;
  /** What may be told of the URL: its path can hold a token. */
  host: string;
  path: string;
}

/** A request as it goes out, all of it checked. */
export interface OutgoingRequest extends Destination {
  method: string;
  headers: Record<string, string>;
  body: string | Uint8Array | null;
}

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** RFC 9110, section 5.5: what can be seen, space and tab, and the upper half of Latin-1. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Not for a caller to say: two sides that read them differently read different requests. */
const RESERVED = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'accept-encoding',
]);

/** Throws a FetchRefusal for what cannot be sent as it is. */
export function prepareRequest(url: string, request: FetchRequest): OutgoingRequest {
  return {
    ...destinationOf(url),
    method: request.method ?? 'GET',
    headers: checkHeaders(request.headers ?? {}),
    body: request.body ?? null,
  };
}

/** Each message asks, and few URLs are asked about. */
const destinationOf = remembered((url): Destination => {
  const parsed = URL.parse(url);
  if (!parsed) throw new FetchRefusal('the URL is none');
  const { protocol, username, password, hostname, origin, pathname, search } = parsed;
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new FetchRefusal('the URL must begin with http:// or https://');
  }
  if (username !== '' || password !== '') {
    throw new FetchRefusal('the URL must not hold a user name or password');
  }
  return { origin, host: inWords(hostname), path: `${pathname}${search}` };
}, 1_000);

function checkHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const checked: Record<string, string> = {
    'user-agent': `Switchboard/${VERSION}`,
    // Nothing is inflated here: what is small on the wire stays small.
    'accept-encoding': 'identity',
  };
  for (const [written, value] of Object.entries(headers)) {
    const name = written.toLowerCase();
    if (!TOKEN.test(name) || RESERVED.has(name)) {
      throw new FetchRefusal(`a header cannot be named ${JSON.stringify(written)}`);
    }
    // The value may be a secret, so it is not repeated.
    if (!VALUE.test(value)) {
      throw new FetchRefusal(`the value of the header ${name} has characters it cannot have`);
    }
    checked[name] = value;
  }
  return checked;
}
