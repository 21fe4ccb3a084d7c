import type { Event, WebhookTest } from './api.ts';
import { decodeBase64 } from './base64.ts';

/*
 * Verifies webhooks by the Standard Webhooks specification.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */

/** A webhook request that could not be verified. Answer it with 401 and do nothing else. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

export type HeadersLike =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** The allowed difference between the timestamp of the request and now, in seconds. Default: 300. */
  tolerance?: number;
  /** The current time, in milliseconds since 1970. Default: `Date.now()`. */
  now?: number;
}

const PREFIX = 'whsec_';
/** Bounds the work for a hostile request; a rotation needs only two. */
const MAX_SIGNATURES = 10;
const HMAC = { name: 'HMAC', hash: 'SHA-256' };
const encoder = new TextEncoder();

/**
 * Verifies that Switchboard sent this request to your webhook just now, and returns its event.
 *
 * ```ts
 * const event = await verifyWebhook(await request.text(), request.headers, secret);
 * ```
 *
 * The body must be exactly the bytes that arrived: read it before anything parses it. `GET
 * /1/applications/{id}/webhook` returns the secrets; during a rotation, pass both. An event can arrive twice, with the
 * same `id`.
 *
 * @throws {WebhookVerificationError} if the signature is invalid or too old
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: HeadersLike,
  secret: string | readonly string[],
  { tolerance = 300, now = Date.now() }: VerifyOptions = {},
): Promise<Event | WebhookTest> {
  const secrets = [secret].flat().filter((each) => each !== '');
  if (secrets.length === 0) throw new TypeError('verifyWebhook: a secret is required');
  const [id, time, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    headerOf(headers, `webhook-${name}`),
  );
  if (id === undefined || time === undefined || signatures === undefined) {
    throw new WebhookVerificationError('the Standard Webhooks headers are missing');
  }
  const seconds = /^\d{1,12}$/.test(time) ? Number(time) : Number.NaN;
  if (!(Math.abs(now / 1000 - seconds) <= tolerance)) {
    throw new WebhookVerificationError('the timestamp is too old or in the future');
  }
  const bytes = bytesOf(body);
  const signed = joined(encoder.encode(`${id}.${time}.`), bytes);
  const given = signatures.split(' ').slice(0, MAX_SIGNATURES);
  if (!(await isSigned(signed, given, secrets))) {
    throw new WebhookVerificationError('the signature does not match the secret');
  }
  return eventIn(bytes);
}

/** Whether any of the signatures matches any of the secrets. `verify` compares in constant time. */
async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  given: readonly string[],
  secrets: readonly string[],
): Promise<boolean> {
  for (const secret of secrets) {
    const key = await crypto.subtle.importKey('raw', keyOf(secret), HMAC, false, ['verify']);
    for (const text of given) {
      const signature = text.startsWith('v1,') ? decodeBase64(text.slice(3)) : undefined;
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return true;
    }
  }
  return false;
}

/** A secret with the prefix is base64; any other is used as text. */
function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  if (!secret.startsWith(PREFIX)) return encoder.encode(secret);
  const key = decodeBase64(secret.slice(PREFIX.length));
  if (!key || key.length === 0) throw new TypeError('verifyWebhook: the secret is not base64');
  return key;
}

function headerOf(headers: HeadersLike, name: string): string | undefined {
  if (isHeaders(headers)) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === 'string' ? found : found?.[0];
}

/** Duck typing, because other libraries have their own Headers class. */
function isHeaders(headers: HeadersLike): headers is Headers {
  return typeof headers['get'] === 'function';
}

function bytesOf(body: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof body === 'string') return encoder.encode(body);
  return body instanceof Uint8Array ? body : new Uint8Array(body);
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

function eventIn(bytes: Uint8Array): Event | WebhookTest {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (typeof value === 'object' && value !== null && 'type' in value && 'data' in value) {
      return value as Event | WebhookTest;
    }
  } catch {
    // Reported below.
  }
  throw new WebhookVerificationError('the body is not an event');
}
