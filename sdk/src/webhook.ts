import type { Event, WebhookTest } from './api.ts';
import { decodeBase64 } from './base64.ts';

/*
 * Webhooks by Standard Webhooks.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */

/** A call of a webhook that cannot be taken for genuine. Answer it with 401, and do nothing else. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

export type HeadersLike =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** How many seconds its time may be from now; 300 unless told otherwise. */
  tolerance?: number;
  /** The time by which it is judged, in milliseconds since 1970; now unless told otherwise. */
  now?: number;
}

const PREFIX = 'whsec_';
/** More than anybody rotates at once. */
const MOST_SIGNATURES = 10;
const HMAC = { name: 'HMAC', hash: 'SHA-256' };
const encoder = new TextEncoder();

/**
 * Checks that the service sent this to your webhook just now, and answers the event.
 *
 * ```ts
 * const event = await verifyWebhook(await request.text(), request.headers, secret);
 * ```
 *
 * The body must be what came, byte for byte: read it before anything parses it. `GET
 * /1/applications/{id}/webhook` shows the secrets; while one replaces the other, give both. An event can come
 * twice: it then has the same `id`.
 *
 * @throws {WebhookVerificationError} when it is not genuine, or too old
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: HeadersLike,
  secret: string | readonly string[],
  { tolerance = 300, now = Date.now() }: VerifyOptions = {},
): Promise<Event | WebhookTest> {
  const secrets = [secret].flat().filter((each) => each !== '');
  if (secrets.length === 0) throw new TypeError('verifyWebhook: there is no secret');
  const [id, time, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    headerOf(headers, `webhook-${name}`),
  );
  if (id === undefined || time === undefined || signatures === undefined) {
    throw new WebhookVerificationError('it is not signed by Standard Webhooks');
  }
  const seconds = /^\d{1,12}$/.test(time) ? Number(time) : Number.NaN;
  if (!(Math.abs(now / 1000 - seconds) <= tolerance)) {
    throw new WebhookVerificationError('it was not signed just now');
  }
  const bytes = bytesOf(body);
  const signed = joined(encoder.encode(`${id}.${time}.`), bytes);
  const given = signatures.split(' ').slice(0, MOST_SIGNATURES);
  if (!(await isSigned(signed, given, secrets))) {
    throw new WebhookVerificationError('the signature is not made with the secret');
  }
  return eventIn(bytes);
}

/** Whether one of the signatures is made with one of the secrets. `verify` compares in constant time. */
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

/** A secret with the prefix is base64; any other is taken as it is. */
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

/** Whosever class they are of. */
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
    // It is said below.
  }
  throw new WebhookVerificationError('it is signed, but is no event');
}
