import { createHmac, randomBytes } from 'node:crypto';

import { equalInConstantTime } from './constant-time.ts';

/*
 * Signatures by the Standard Webhooks specification.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
interface SignedWebhook {
  id: string;
  /** Seconds since 1970. */
  timestamp: number;
  /** The exact bytes that are sent. */
  body: string;
}

const PREFIX = 'whsec_';

/** The headers for a body, with one signature per secret. */
export function webhookHeaders(
  { id, timestamp, body }: SignedWebhook,
  secrets: readonly string[],
): Record<string, string> {
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(timestamp) };
  if (secrets.length === 0) return headers;
  const signatures = secrets.map((secret) => signatureOf({ id, timestamp, body }, secret));
  return { ...headers, 'webhook-signature': signatures.join(' ') };
}

const TIMESTAMP_TOLERANCE_SECONDS = 5 * 60;

/** Why the signature of a request is invalid, or undefined if it is valid. */
export function webhookFault(
  header: (name: string) => string | undefined,
  body: Buffer,
  secrets: readonly string[],
  now: number,
): string | undefined {
  const [id, time, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    header(`webhook-${name}`),
  );
  if (id === undefined || time === undefined || signatures === undefined) {
    return 'the Standard Webhooks headers are missing';
  }
  const timestamp = /^\d{1,12}$/.test(time) ? Number(time) : Number.NaN;
  if (!(Math.abs(now / 1000 - timestamp) <= TIMESTAMP_TOLERANCE_SECONDS))
    return 'the timestamp is too old or in the future';
  const expected = secrets.map((secret) => signatureOf({ id, timestamp, body }, secret));
  const received = signatures.split(' ').slice(0, MAX_SIGNATURES);
  const isSigned = received.some((one) =>
    expected.some((other) => equalInConstantTime(one, other)),
  );
  return isSigned ? undefined : 'the signature does not match the secret';
}

/** Bounds the work per request; nobody rotates more secrets at once. */
const MAX_SIGNATURES = 10;

function signatureOf(
  { id, timestamp, body }: Omit<SignedWebhook, 'body'> & { body: string | Buffer },
  secret: string,
): string {
  const hmac = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body);
  return `v1,${hmac.digest('base64')}`;
}

export function newWebhookSecret(): string {
  return `${PREFIX}${randomBytes(32).toString('base64')}`;
}

/** During a rotation, the setting holds two secrets, separated by a space. */
export function webhookSecrets(setting: string): string[] {
  const parts = setting.trim().split(/\s+/);
  return parts.every((part) => part.startsWith(PREFIX)) ? parts : [setting];
}

/** A secret with the prefix is base64; any other is used as it is. */
function keyOf(secret: string): Buffer {
  return secret.startsWith(PREFIX)
    ? Buffer.from(secret.slice(PREFIX.length), 'base64')
    : Buffer.from(secret);
}
