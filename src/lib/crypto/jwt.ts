import { createPrivateKey, sign } from 'node:crypto';

/**
 * A JSON Web Token signed with RS256. Undefined if `pem` is not a private RSA key; it may contain `\n` instead of
 * line breaks, as is common in environment variables. RFC 7515, RFC 7518 section 3.3
 */
export function signJwt(claims: object, pem: string): string | undefined {
  try {
    const key = createPrivateKey(pem.replaceAll('\\n', '\n'));
    if (key.asymmetricKeyType !== 'rsa') return undefined;
    const input = `${encode({ typ: 'JWT', alg: 'RS256' })}.${encode(claims)}`;
    return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
  } catch {
    return undefined;
  }
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
