import { createHash } from 'node:crypto';

import * as errors from 'jose/errors';
import { jwtVerify } from 'jose/jwt/verify';

import { textMember } from '../json/json-member.ts';
import { equalInConstantTime } from './constant-time.ts';

interface SecretToken {
  token: string;
  secret: string;
  issuer: string;
  /** Milliseconds since 1970. */
  now: number;
  /** Required claims. */
  claims: readonly string[];
  /** Maximum age in seconds, for tokens without an expiry. */
  maxAgeSeconds?: number;
}

/** Tolerated clock difference. */
const CLOCK_TOLERANCE_SECONDS = 60;

/** The claims of a token signed with a shared secret, or why it is invalid. RFC 8725 */
export async function claimsOf(input: SecretToken): Promise<object | string> {
  if (input.secret === '') return 'no secret is configured';
  try {
    const { payload } = await jwtVerify(input.token, Buffer.from(input.secret), {
      algorithms: ['HS256'],
      issuer: input.issuer,
      currentDate: new Date(input.now),
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      requiredClaims: [...input.claims],
      ...(input.maxAgeSeconds !== undefined && { maxTokenAge: input.maxAgeSeconds }),
    });
    return payload;
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
    return `the token is invalid: ${error.code}`;
  }
}

/** Whether a claim is the hexadecimal SHA-256 of this content. */
export function isHashOf(claims: object, name: string, content: string | Uint8Array): boolean {
  const hash = createHash('sha256').update(content).digest('hex');
  return equalInConstantTime(textMember(claims, name)?.toLowerCase(), hash);
}
