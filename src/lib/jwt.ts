import { createPrivateKey, sign } from 'node:crypto';

/**
 * A JSON web token, signed by RSA with SHA-256. Undefined when the key is no private RSA key in PEM; line breaks
 * in it may be written as `\n`, as they are in many an environment. RFC 7515, RFC 7518 section 3.3
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
