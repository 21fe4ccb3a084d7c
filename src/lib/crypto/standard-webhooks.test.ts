import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';

import { Webhook } from 'standardwebhooks';

import { webhookHeaders, webhookSecrets } from './standard-webhooks.ts';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const body = '{"type":"Create","object":{"content":"naïve 👋 \u2028"}, "n": 1.0}';
const webhook = () => ({
  id: 'message-1-part-1',
  timestamp: Math.floor(Date.now() / 1000),
  body,
});

describe('webhook signature', () => {
  it('webhook signature is accepted by the public package', () => {
    const secret = newSecret();
    const headers = webhookHeaders(webhook(), [secret]);
    assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body));
  });

  it('webhook signature is accepted for a secret that is any text', () => {
    const secret = 'fake secret, pässword';
    const headers = webhookHeaders(webhook(), [secret]);
    const receiver = new Webhook(new TextEncoder().encode(secret), { format: 'raw' });
    assert.deepEqual(receiver.verify(body, headers), JSON.parse(body));
  });

  it('webhook signature is accepted with either of two secrets', () => {
    const [old, young] = [newSecret(), newSecret()];
    const headers = webhookHeaders(webhook(), webhookSecrets(`${young} ${old}`));
    for (const secret of [old, young]) new Webhook(secret).verify(body, headers);
    assert.throws(() => new Webhook(newSecret()).verify(body, headers));
  });

  it('webhook signature is refused if anything was changed', () => {
    const secret = newSecret();
    const receiver = new Webhook(secret);
    const headers = webhookHeaders(webhook(), [secret]);
    assert.throws(() => receiver.verify(`${body} `, headers));
    assert.throws(() => receiver.verify(body, { ...headers, 'webhook-id': 'another' }));
    const earlier = String(Number(headers['webhook-timestamp']) - 1);
    assert.throws(() => receiver.verify(body, { ...headers, 'webhook-timestamp': earlier }));
    assert.throws(() => new Webhook(newSecret()).verify(body, headers));
  });

  it('webhook signature is omitted without a secret', () => {
    assert.deepEqual(webhookHeaders({ id: 'a', timestamp: 1, body: '' }, []), {
      'webhook-id': 'a',
      'webhook-timestamp': '1',
    });
  });
});

describe('webhook secret', () => {
  it('webhook secret is split into two if both have the prefix', () => {
    assert.deepEqual(webhookSecrets(' whsec_YQ==  whsec_Yg== '), ['whsec_YQ==', 'whsec_Yg==']);
    assert.deepEqual(webhookSecrets('whsec_YQ=='), ['whsec_YQ==']);
  });

  it('webhook secret is a single secret otherwise, including its spaces', () => {
    for (const secret of ['fake secret', ' fake ', 'whsec_YQ== fake']) {
      assert.deepEqual(webhookSecrets(secret), [secret]);
    }
  });
});
