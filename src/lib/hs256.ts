import { createHmac } from 'node:crypto';

import { equalInConstantTime } from './constant-time.ts';

/*
 * JSON web tokens signed with HMAC and SHA-256: RFC 7515, RFC 7518 section 3.2, RFC 8725. WebCrypto, which libraries
 * for them use, hands each signature to a thread: that takes 0.3 ms of processor time, and this 0.02 ms.
 */

export interface Jwt {
  header: Readonly<Record<string, unknown>>;
  claims: Readonly<Record<string, unknown>>;
  /** The signed text. */
  content: string;
  signature: string;
}

export function signHs256(claims: object, secret: string): string {
  const content = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${content}.${signatureOf(content, secret)}`;
}

/** The parts of a token, none of which is to be believed yet; undefined when it is no JWT. */
export function readJwt(token: string): Jwt | undefined {
  const [head = '', body = '', signature, ...rest] = token.split('.');
  if (signature === undefined || rest.length > 0) return undefined;
  const header = decode(head);
  const claims = decode(body);
  return header && claims && { header, claims, content: `${head}.${body}`, signature };
}

/** Whether it says that it is signed with HS256, and is. What it calls critical is not understood here, so it is refused. */
export function isSignedWith({ header, content, signature }: Jwt, secret: string): boolean {
  if (header['alg'] !== 'HS256' || header['crit'] !== undefined) return false;
  return equalInConstantTime(signature, signatureOf(content, secret));
}

const signatureOf = (content: string, secret: string) =>
  createHmac('sha256', secret).update(content).digest('base64url');

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

function decode(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
