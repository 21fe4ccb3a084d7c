import { createHash } from 'node:crypto';

import * as errors from 'jose/errors';
import { jwtVerify } from 'jose/jwt/verify';

import { equalInConstantTime } from './constant-time.ts';
import { textMember } from './member.ts';

export interface SecretToken {
  token: string;
  secret: string;
  issuer: string;
  /** When it is now, in milliseconds. */
  now: number;
  /** Claims that must be there. */
  claims: readonly string[];
  /** How many seconds ago it may have been issued, where it does not say when it expires. */
  age?: number;
}

/** By how many seconds the clocks may differ. */
const LEEWAY = 60;

/** What a token claims that was signed with a secret; or why it claims nothing. RFC 8725 */
export async function claimsOf(given: SecretToken): Promise<object | string> {
  if (given.secret === '') return 'there is no secret to judge by';
  try {
    const { payload } = await jwtVerify(given.token, Buffer.from(given.secret), {
      algorithms: ['HS256'],
      issuer: given.issuer,
      currentDate: new Date(given.now),
      clockTolerance: LEEWAY,
      requiredClaims: [...given.claims],
      ...(given.age !== undefined && { maxTokenAge: given.age }),
    });
    return payload;
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
    return `the token is not good: ${error.code}`;
  }
}

/** Whether a claim is the SHA-256 of that, in hexadecimal digits. */
export function isHashOf(claims: object, name: string, of: string | Uint8Array): boolean {
  const hash = createHash('sha256').update(of).digest('hex');
  return equalInConstantTime(textMember(claims, name)?.toLowerCase(), hash);
}
