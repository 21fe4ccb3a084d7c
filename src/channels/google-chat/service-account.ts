import { type Denial, askForAccess } from '../../lib/access-grant.ts';
import type { Access } from '../../lib/access-token.ts';
import type { Fetch } from '../../lib/fetch.ts';
import { signJwt } from '../../lib/jwt.ts';
import { textMember } from '../../lib/member.ts';

/** Who a service account of Google is, as its key file says. */
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

/** Whom an assertion is for, wherever it is sent. */
const AUDIENCE = 'https://oauth2.googleapis.com/token';
/** For how many seconds an assertion is good: the most that is allowed. */
const LASTS = 3600;

/**
 * Asks for an access token. Undefined when the private key is none.
 * https://developers.google.com/identity/protocols/oauth2/service-account#httprest
 */
export function askAsServiceAccount(
  { email, privateKey }: ServiceAccount,
  scope: string,
  { now, endpoint = AUDIENCE, fetch }: { now: number; endpoint?: string; fetch: Fetch },
): Promise<Access | Denial> | undefined {
  const issued = Math.floor(now / 1000);
  const claims = { iss: email, scope, aud: AUDIENCE, iat: issued, exp: issued + LASTS };
  const assertion = signJwt(claims, privateKey);
  if (assertion === undefined) return undefined;
  const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
  return askForAccess(endpoint, grant, fetch);
}
