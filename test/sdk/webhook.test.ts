import assert from 'node:assert/strict';
import { it } from 'node:test';

import { Webhook } from 'standardwebhooks';

import { WebhookVerificationError, verifyWebhook } from '../../sdk/src/index.ts';
import { newWebhookSecret } from '../../src/lib/crypto/standard-webhooks.ts';
import { openEndpoint } from '../emulators/endpoint.ts';
import { startTestService } from '../support/service/service.ts';
import { until } from '../support/until.ts';
import { append, applicationClient, userClient } from './support.ts';

const NOW = Date.UTC(2026, 10, 15);
const EVENT = { id: 1, type: 'message.sent', timestamp: new Date(NOW).toISOString(), data: {} };
const BODY = JSON.stringify(EVENT);

function signed(secret: string, body = BODY, at = NOW): Record<string, string> {
  const time = new Date(at);
  return {
    'webhook-id': 'evt_1_1',
    'webhook-timestamp': String(Math.floor(at / 1000)),
    'webhook-signature': new Webhook(secret).sign('evt_1_1', time, body),
  };
}

it('verifyWebhook accepts a signed body and headers in any form', async () => {
  const secret = newWebhookSecret();
  const headers = signed(secret);
  const bytes = new TextEncoder().encode(BODY);
  const upper = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]);
  for (const [body, given] of [
    [BODY, headers],
    [BODY, new Headers(headers)],
    [bytes, Object.fromEntries(upper)],
    [bytes.buffer, headers],
    [Buffer.from(BODY), headers],
  ] as const) {
    assert.deepEqual(await verifyWebhook(body, given, secret, { now: NOW }), EVENT);
  }
});

it('verifyWebhook accepts either secret during a rotation, and any of several signatures', async () => {
  const [one, two, other] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];
  const both = `${signed(other)['webhook-signature']} ${signed(two)['webhook-signature']}`;
  for (const headers of [signed(one), signed(two), { ...signed(one), 'webhook-signature': both }]) {
    assert.deepEqual(await verifyWebhook(BODY, headers, [one, two], { now: NOW }), EVENT);
  }
  const plain = { ...signed(one), 'webhook-signature': 'v1,AAAA' };
  await assert.rejects(verifyWebhook(BODY, plain, 'fake-plain-secret', { now: NOW }));
});

it('verifyWebhook refuses missing, wrong and outdated signatures', async () => {
  const secret = newWebhookSecret();
  const good = signed(secret);
  const cases: [string | Uint8Array, Record<string, string>, RegExp][] = [
    [BODY, {}, /headers are missing/],
    [BODY, { ...good, 'webhook-timestamp': 'now' }, /the timestamp is too old/],
    [BODY, { ...good, 'webhook-timestamp': '9'.repeat(30) }, /the timestamp is too old/],
    [BODY, signed(secret, BODY, NOW - 301_000), /the timestamp is too old/],
    [BODY, signed(secret, BODY, NOW + 301_000), /the timestamp is too old/],
    [`${BODY} `, good, /does not match the secret/],
    [BODY, signed(newWebhookSecret()), /does not match the secret/],
    [BODY, { ...good, 'webhook-id': 'evt_1_2' }, /does not match the secret/],
    [BODY, { ...good, 'webhook-signature': '' }, /does not match the secret/],
    [BODY, { ...good, 'webhook-signature': 'v1,!!!! v2,AAAA v1' }, /does not match the secret/],
    ['[]', signed(secret, '[]'), /is not an event/],
    ['{', signed(secret, '{'), /is not an event/],
  ];
  for (const [body, headers, words] of cases) {
    await assert.rejects(verifyWebhook(body, headers, secret, { now: NOW }), (error) => {
      assert.ok(error instanceof WebhookVerificationError);
      assert.match(error.message, words);
      return true;
    });
  }
  for (const none of ['', [], ['']]) {
    await assert.rejects(verifyWebhook(BODY, good, none), /a secret is required/);
  }
  await assert.rejects(verifyWebhook(BODY, good, 'whsec_fake!', { now: NOW }), /not base64/);
  const late = signed(secret, BODY, NOW - 301_000);
  assert.ok(await verifyWebhook(BODY, late, secret, { now: NOW, tolerance: 600 }));
});

it('verifyWebhook accepts what the service sends, also with the previous secret', async () => {
  await using sb = await startTestService('sqlite', { environment: { SWITCHBOARD_ROLE: 'all' } });
  const { applicationId } = await applicationClient(sb);
  const user = userClient(sb);
  const endpoint = await openEndpoint();
  await user.applications.update(applicationId, { webhook_url: endpoint.url });
  const { secrets: before } = await user.webhooks.get(applicationId);
  await user.webhooks.rotate(applicationId);
  await append(sb, applicationId, 1);
  const { text, headers } = await until('an event', () => endpoint.seen[0]);
  const event = await verifyWebhook(text, headers, before);
  assert.deepEqual([event.type, 'id' in event && event.id], ['message.sent', 1]);
  assert.equal((await user.webhooks.test(applicationId)).outcome, 'sent');
  const tried = endpoint.seen.at(-1);
  const test = await verifyWebhook(tried?.bytes ?? '', tried?.headers ?? {}, before);
  assert.equal(test.type, 'webhook.test');
  const [delivery] = await user.webhooks.deliveries(applicationId).first(1);
  assert.ok(delivery);
  assert.equal((await user.webhooks.delivery(applicationId, delivery.id)).event_id, 1);
  const attempts = await user.webhooks.attempts(applicationId, delivery.id);
  assert.deepEqual(
    attempts.map(({ outcome }) => outcome),
    ['sent'],
  );
  await user.webhooks.resend(applicationId, delivery.id);
  await until('the redelivery', () => endpoint.seen.filter((one) => one.text === text)[1]);
  await endpoint.close();
});
