import type { Channel, Outcome } from '../channels/channel.ts';
import { webhookHeaders, webhookSecrets } from '../lib/crypto/standard-webhooks.ts';
import type { FetchAnswer } from '../lib/http/fetch.ts';
import { retryAfter } from '../lib/http/retry-after.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** Delays after the first failure, the second, and so on; the last one repeats, to notice a recovery. */
const DELAYS = [SECOND, 5 * SECOND, 15 * SECOND, 30 * SECOND, MINUTE, 2 * MINUTE];
const LAST_DELAY = 2 * MINUTE;
const JITTER = 0.2;
/** An endpoint that fails for this long is paused. */
const PAUSE_AFTER_MS = 5 * DAY;
const EARLY = DELAYS.reduce((sum, delay) => sum + delay, 0);
const MAX_FAILURES = DELAYS.length + Math.ceil((PAUSE_AFTER_MS - EARLY) / LAST_DELAY);

/*
 * An application's webhook, by Standard Webhooks. It is delivered to like a channel, but cannot be chosen as
 * one: its integration comes with the application's `webhook_url`.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const endpoint: Channel = {
  name: 'events',
  title: 'Webhook of the application',
  docs: 'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md',
  credentials: [
    { name: 'address', label: 'Endpoint URL', help: 'The webhook_url.', secret: false },
    { name: 'secret', label: 'Signing secrets', help: 'Created by the service.', secret: true },
    {
      name: 'username',
      label: 'Application',
      help: 'The application of the events.',
      secret: false,
    },
  ],
  needs: [['address', 'secret']],
  recipient: { format: 'the feed', example: 'feed', validate: () => undefined },
  limits: [],
  renderers: 'whole',
  // One at a time, to keep the order.
  concurrency: 1,
  // All attempts have the same `webhook-id`.
  idempotent: true,
  propagatesTrace: true,

  retryForever(failures, random) {
    if (failures > MAX_FAILURES) return undefined;
    const delay = DELAYS[failures - 1] ?? LAST_DELAY;
    return Math.round(delay * (1 + JITTER * (2 * random - 1)));
  },

  async send(_wire, { key, json }, { credentials, fetch, clock }) {
    const { address = '', secret = '', username = '' } = credentials;
    const timestamp = Math.floor(clock.now() / 1000);
    // The start of the envelope, which is the same in every delivery of the event.
    const [, number] = /^\{"id":(\d+),/.exec(json) ?? [];
    const id = number === undefined ? key : `evt_${username}_${number}`;
    const answer = await fetch(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...webhookHeaders({ id, timestamp, body: json }, webhookSecrets(secret)),
      },
      body: json,
    });
    return sort(answer, clock.now());
  },
};

/** Retries everything except answers that rule out success. */
function sort(answer: FetchAnswer, now: number): Outcome {
  const { status } = answer;
  if (status >= 200 && status < 300) return { outcome: 'sent' };
  const code = String(status);
  const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  const detail = `the endpoint answered ${code}${redirect}`;
  if (status === 410) return { outcome: 'permanent', blame: 'recipient', detail, code };
  const seconds = retryAfter(answer.header('retry-after'), now);
  if (status === 429 && seconds !== undefined) {
    return { outcome: 'limited', scope: 'integration', seconds, detail, code };
  }
  return { outcome: 'transient', maybeSent: true, detail, code };
}
