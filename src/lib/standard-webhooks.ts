import { createHmac, randomBytes } from 'node:crypto';

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
  const content = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', keyOf(secret)).update(content).digest('base64')}`,
  );
  return { ...headers, 'webhook-signature': signatures.join(' ') };
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
