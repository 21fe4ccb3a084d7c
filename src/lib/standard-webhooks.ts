import { createHmac, randomBytes } from 'node:crypto';

import { equalInConstantTime } from './constant-time.ts';

/*
 * Signatures by Standard Webhooks.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export interface SignedWebhook {
  id: string;
  /** Seconds since 1970. */
  timestamp: number;
  /** Byte for byte what is sent. */
  body: string;
}

const PREFIX = 'whsec_';

/** The headers that go with a body; with a signature for each of the secrets. */
export function webhookHeaders(
  { id, timestamp, body }: SignedWebhook,
  secrets: readonly string[],
): Record<string, string> {
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(timestamp) };
  if (secrets.length === 0) return headers;
  const signatures = secrets.map((secret) => signatureOf({ id, timestamp, body }, secret));
  return { ...headers, 'webhook-signature': signatures.join(' ') };
}

/** How far from now the time of a call may be, in seconds. */
const TOLERANCE = 5 * 60;

/** Says why a call was not signed with any of the secrets just now, or nothing when it was. */
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
    return 'it is not signed by Standard Webhooks';
  }
  const timestamp = /^\d{1,12}$/.test(time) ? Number(time) : Number.NaN;
  if (!(Math.abs(now / 1000 - timestamp) <= TOLERANCE)) return 'it was not signed just now';
  const known = secrets.map((secret) => signatureOf({ id, timestamp, body }, secret));
  const given = signatures.split(' ').slice(0, MOST_SIGNATURES);
  const isSigned = given.some((one) => known.some((other) => equalInConstantTime(one, other)));
  return isSigned ? undefined : 'the signature is not made with the secret';
}

/** More secrets than anybody rotates at once. */
const MOST_SIGNATURES = 10;

function signatureOf(
  { id, timestamp, body }: Omit<SignedWebhook, 'body'> & { body: string | Buffer },
  secret: string,
): string {
  const hmac = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body);
  return `v1,${hmac.digest('base64')}`;
}

/** A secret that nobody has. */
export function newWebhookSecret(): string {
  return `${PREFIX}${randomBytes(32).toString('base64')}`;
}

/** Two secrets stand side by side while a receiver changes from one to the other. */
export function webhookSecrets(written: string): string[] {
  const parts = written.trim().split(/\s+/);
  return parts.every((part) => part.startsWith(PREFIX)) ? parts : [written];
}

/** A secret with the prefix is base64; any other is taken as it is. */
function keyOf(secret: string): Buffer {
  return secret.startsWith(PREFIX)
    ? Buffer.from(secret.slice(PREFIX.length), 'base64')
    : Buffer.from(secret);
}
