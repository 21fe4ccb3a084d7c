import type { Access } from '../../lib/crypto/access-token.ts';
import { signJwt } from '../../lib/crypto/jwt.ts';
import { type Denial, requestAccessToken } from '../../lib/crypto/token-request.ts';
import type { Fetch } from '../../lib/http/fetch.ts';
import { textMember } from '../../lib/json/json-member.ts';

/** A Google service account, from its key file. */
export interface ServiceAccount {
  email: string;
  privateKey: string;
}

/** Undefined when the text is not a key file. */
export function readKeyFile(text: string): ServiceAccount | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  const [email, privateKey] = [textMember(json, 'client_email'), textMember(json, 'private_key')];
  return email === undefined || privateKey === undefined ? undefined : { email, privateKey };
}

/** The audience of an assertion, regardless of where it is sent. */
const AUDIENCE = 'https://oauth2.googleapis.com/token';
/** The longest lifetime that Google allows. */
const ASSERTION_SECONDS = 3600;

/**
 * Requests an access token. Undefined when the private key is invalid.
 * https://developers.google.com/identity/protocols/oauth2/service-account#httprest
 */
export function requestServiceAccountToken(
  { email, privateKey }: ServiceAccount,
  scope: string,
  { now, endpoint = AUDIENCE, fetch }: { now: number; endpoint?: string; fetch: Fetch },
): Promise<Access | Denial> | undefined {
  const issued = Math.floor(now / 1000);
  const claims = { iss: email, scope, aud: AUDIENCE, iat: issued, exp: issued + ASSERTION_SECONDS };
  const assertion = signJwt(claims, privateKey);
  if (assertion === undefined) return undefined;
  const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
  return requestAccessToken(endpoint, grant, fetch);
}
