import { baseString, signature } from '../../../lib/crypto/oauth1.ts';
import type { Millis } from '../../../model/timestamp.ts';
import type { Request } from '../../wire/request.ts';

/* Requests signed by OAuth 1.0a. RFC 5849 */

export const KEYS = {
  consumer_key: 'example-consumer-key',
  consumer_secret: 'fake-consumer-secret&%',
  token: '370773112-example-token',
  secret: 'fake-token-secret',
};

const FIELD = /^(\w+)="([^"]*)"$/;
const OAUTH = [
  'oauth_consumer_key',
  'oauth_nonce',
  'oauth_signature',
  'oauth_signature_method',
  'oauth_timestamp',
  'oauth_token',
  'oauth_version',
];

function fieldsOf({ headers }: Request): Map<string, string> {
  const [, header = ''] = /^OAuth (.*)$/.exec(headers['authorization'] ?? '') ?? [];
  return new Map(
    header.split(', ').map((field) => {
      const [, name = '', value = ''] = FIELD.exec(field) ?? [];
      return [name, decoded(value)] as const;
    }),
  );
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return '';
  }
}

/** The nonce of a signed request. Tests check that none is used twice. */
export const nonceOf = (request: Request) => fieldsOf(request).get('oauth_nonce') ?? '';

const WINDOW_SECONDS = 300;

export function isSigned(request: Request, now: Millis): boolean {
  const fields = fieldsOf(request);
  if ([...fields.keys()].toSorted().join() !== OAUTH.join()) return false;
  const isNonce = /^[0-9A-Za-z]{8,}$/.test(fields.get('oauth_nonce') ?? '');
  const age = Math.abs(now / 1000 - Number(fields.get('oauth_timestamp')));
  const isOwn =
    fields.get('oauth_consumer_key') === KEYS.consumer_key &&
    fields.get('oauth_token') === KEYS.token;
  const rest = [...fields].filter(([name]) => name !== 'oauth_signature');
  const isSignatureValid = urlsOf(request).some((url) => {
    const base = baseString(request.method, url, rest);
    return signature(base, KEYS.consumer_secret, KEYS.secret) === fields.get('oauth_signature');
  });
  return isNonce && age < WINDOW_SECONDS && isOwn && isSignatureValid;
}

/** The URL of a request; tests send theirs without TLS. */
function urlsOf({ path, headers }: Request): string[] {
  if (path.startsWith('https://')) return [path];
  return ['https', 'http'].map((scheme) => `${scheme}://${headers['host']}${path}`);
}
