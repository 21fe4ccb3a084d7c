import { createHmac } from 'node:crypto';

import { equalInConstantTime } from '../../lib/crypto/constant-time.ts';

/**
 * Whether Twilio signed this URL and these fields with that token.
 * https://www.twilio.com/docs/usage/security#validating-requests
 * Twilio does not document whether it signs the default port, so both forms are accepted.
 */
export function isSignedByTwilio(
  url: string,
  fields: URLSearchParams,
  signature: string | undefined,
  authToken: string,
): boolean {
  const parameters = writtenOut(fields);
  const signed = formsOf(url).map((form) => {
    const hash = createHmac('sha1', authToken).update(`${form}${parameters}`).digest('base64');
    return equalInConstantTime(hash, signature);
  });
  return signed.includes(true);
}

/** Names and values concatenated, sorted by name, without duplicate pairs. */
function writtenOut(fields: URLSearchParams): string {
  const names = [...new Set(fields.keys())].toSorted();
  return names
    .flatMap((name) => [...new Set(fields.getAll(name))].toSorted().map((value) => name + value))
    .join('');
}

const AUTHORITY = /^(https?):\/\/([^/?#:]*)(:\d{1,5})?(.*)$/i;

function formsOf(url: string): string[] {
  const [, scheme = '', host, port, rest] = AUTHORITY.exec(url) ?? [];
  const defaultPort = scheme.toLowerCase() === 'https' ? ':443' : ':80';
  if (host === undefined || (port !== undefined && port !== defaultPort)) return [url];
  return [`${scheme}://${host}${rest}`, `${scheme}://${host}${defaultPort}${rest}`];
}
