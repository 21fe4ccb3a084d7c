/*
 * Standard Webhooks signatures, computed in the browser to show each step.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */

const PREFIX = 'whsec_';

export function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const text = atob(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : btoa(secret));
  return Uint8Array.from(text, (character) => character.codePointAt(0) ?? 0);
}

/** Signature as it appears in `webhook-signature`. */
export async function signatureOf(content: string, secret: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', keyOf(secret), algorithm, false, ['sign']);
  const signature = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(content));
  return `v1,${btoa(String.fromCodePoint(...new Uint8Array(signature)))}`;
}
