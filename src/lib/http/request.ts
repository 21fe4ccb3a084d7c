import { shownHost } from '../net/dial.ts';
import { memoize } from '../runtime/memoize.ts';
import { VERSION } from '../runtime/version.ts';
import { FetchRefusal, type FetchRequest } from './fetch.ts';

interface Destination {
  origin: string;
  /** The part of the URL that may be shown: the path can contain a token. */
  host: string;
  path: string;
}

/** A validated request. */
export interface PreparedRequest extends Destination {
  method: string;
  headers: Record<string, string>;
  body: string | Uint8Array | null;
}

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** RFC 9110, section 5.5: visible ASCII, space, tab and the upper half of Latin-1. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Set by the HTTP client only. If callers could set them, two servers might disagree on where a request ends. */
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

/** Throws a FetchRefusal if the request is invalid. */
export function prepareRequest(url: string, request: FetchRequest): PreparedRequest {
  return {
    ...destinationOf(url),
    method: request.method ?? 'GET',
    headers: checkHeaders(request.headers ?? {}),
    body: request.body ?? null,
  };
}

/** Memoized: every message parses a URL, and there are few distinct ones. */
const destinationOf = memoize((url): Destination => {
  const parsed = URL.parse(url);
  if (!parsed) throw new FetchRefusal('the URL is invalid');
  const { protocol, username, password, hostname, origin, pathname, search } = parsed;
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new FetchRefusal('the URL must begin with http:// or https://');
  }
  if (username !== '' || password !== '') {
    throw new FetchRefusal('the URL must not contain a user name or password');
  }
  return { origin, host: shownHost(hostname), path: `${pathname}${search}` };
}, 1_000);

function checkHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const checked: Record<string, string> = {
    'user-agent': `Switchboard/${VERSION}`,
    // Responses are not decompressed, so a small response cannot expand in memory.
    'accept-encoding': 'identity',
  };
  for (const [headerName, value] of Object.entries(headers)) {
    const name = headerName.toLowerCase();
    if (!TOKEN.test(name) || RESERVED.has(name)) {
      throw new FetchRefusal(`invalid header name ${JSON.stringify(headerName)}`);
    }
    // Do not show the value: it may be a secret.
    if (!VALUE.test(value)) {
      throw new FetchRefusal(`the value of the header ${name} has invalid characters`);
    }
    checked[name] = value;
  }
  return checked;
}
