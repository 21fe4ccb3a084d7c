import type { Channel, Outcome } from '../channels/channel.ts';
import type { FetchAnswer } from '../lib/fetch.ts';
import { retryAfter } from '../lib/retry-after.ts';
import { webhookHeaders, webhookSecrets } from '../lib/standard-webhooks.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** After the first failure, the second, and so on; the last again and again, so as to see when it recovers. */
const DELAYS = [SECOND, 5 * SECOND, 15 * SECOND, 30 * SECOND, MINUTE, 2 * MINUTE];
const LAST_DELAY = 2 * MINUTE;
const JITTER = 0.2;
/** How long an endpoint may fail before nothing more is sent to it. */
const PATIENCE = 5 * DAY;
const EARLY = DELAYS.reduce((sum, delay) => sum + delay, 0);
const MOST_FAILURES = DELAYS.length + Math.ceil((PATIENCE - EARLY) / LAST_DELAY);

/*
 * An application's own webhook, by Standard Webhooks. It is sent to as channels are, but is none that anybody
 * could name: its integration is made with the application's `webhook_url`.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const endpoint: Channel = {
  name: 'events',
  title: 'Webhook of the application',
  docs: 'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md',
  credentials: [
    { name: 'address', label: 'Endpoint URL', help: 'The webhook_url.', secret: false },
    { name: 'secret', label: 'Signing secrets', help: 'Made by the service.', secret: true },
    { name: 'username', label: 'Application', help: 'Whose events they are.', secret: false },
  ],
  needs: [['address', 'secret']],
  recipient: { form: 'the feed', example: 'feed', check: () => undefined },
  limits: [],
  forms: 'whole',
  // One after the other, so that they arrive in their order.
  concurrency: 1,
  // Each try has the same `webhook-id`.
  knowsRepeats: true,
  isToldTraces: true,

  insists(failures, random) {
    if (failures > MOST_FAILURES) return undefined;
    const delay = DELAYS[failures - 1] ?? LAST_DELAY;
    return Math.round(delay * (1 + JITTER * (2 * random - 1)));
  },

  async send(_wire, { key, json }, { credentials, fetch, clock }) {
    const { address = '', secret = '', username = '' } = credentials;
    const timestamp = Math.floor(clock.now() / 1000);
    // As the envelope begins: the same at every delivery of the event, also when it is delivered anew.
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

/** Whatever is not taken is tried again, but for what says that it never will be. */
function sort(answer: FetchAnswer, now: number): Outcome {
  const { status } = answer;
  if (status >= 200 && status < 300) return { outcome: 'sent' };
  const code = String(status);
  const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  const detail = `the endpoint answered ${code}${redirect}`;
  if (status === 410) return { outcome: 'permanent', blame: 'recipient', detail, code };
  const seconds = retryAfter(answer.header('retry-after'), now);
  if (status === 429 && seconds !== undefined) {
    return { outcome: 'limited', whom: 'integration', seconds, detail, code };
  }
  return { outcome: 'transient', perhapsSent: true, detail, code };
}
