import { createHmac } from 'node:crypto';

export const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const hs256 = (content: string, secret: string) =>
  createHmac('sha256', secret).update(content).digest('base64url');
export const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;

/** A token with these claims. */
export function jwt(
  claims: Record<string, unknown>,
  secret: string,
  header: Record<string, unknown> = { alg: 'HS256', typ: 'JWT' },
) {
  const content = `${encode(header)}.${encode(claims)}`;
  return `${content}.${hs256(content, secret)}`;
}
