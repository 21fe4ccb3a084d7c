import type { Channel, Outcome } from '../channels/channel.ts';
import { webhookHeaders, webhookSecrets } from '../lib/crypto/standard-webhooks.ts';
import type { FetchAnswer } from '../lib/http/fetch.ts';
import { retryAfter } from '../lib/http/retry-after.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Delays after the first failure, the second, and so on; the last one repeats, to notice a recovery. */
const DELAYS_MS = [
  SECOND_MS,
  5 * SECOND_MS,
  15 * SECOND_MS,
  30 * SECOND_MS,
  MINUTE_MS,
  2 * MINUTE_MS,
];
const LAST_DELAY_MS = 2 * MINUTE_MS;
const JITTER = 0.2;
/** An endpoint that fails for this long is paused. */
const PAUSE_AFTER_MS = 5 * DAY_MS;
const DELAYS_TOTAL_MS = DELAYS_MS.reduce((sum, delay) => sum + delay, 0);
const MAX_FAILURES =
  DELAYS_MS.length + Math.ceil((PAUSE_AFTER_MS - DELAYS_TOTAL_MS) / LAST_DELAY_MS);

/*
 * An application's webhook, according to Standard Webhooks. Events are delivered to it as to a channel, but users cannot
 * select it as one: its integration is created from the application's `webhook_url`.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const endpoint: Channel = {
  name: 'events',
  title: 'Webhook of the application',
  category: 'own',
  summary: 'Posts each event to the webhook URL of the application.',
  keywords: [],
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
    const delay = DELAYS_MS[failures - 1] ?? LAST_DELAY_MS;
    return Math.round(delay * (1 + JITTER * (2 * random - 1)));
  },

  async send(_request, { key, json }, { credentials, fetch, clock }) {
    const { address = '', secret = '', username = '' } = credentials;
    const timestamp = Math.floor(clock.now() / 1000);
    // From the start of the envelope, which is the same in every delivery of the event.
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
    return classifyResponse(answer, clock.now());
  },
};

/** Retries every failure except 410 Gone. */
function classifyResponse(answer: FetchAnswer, now: number): Outcome {
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
