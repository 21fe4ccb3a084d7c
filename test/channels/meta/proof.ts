import { createHmac } from 'node:crypto';

import type { HookCase, HookSuite } from '../hooks.ts';

/* How Meta signs webhook requests. https://developers.facebook.com/docs/graph-api/webhooks/getting-started */

export const SECRETS = { consumer_secret: 'fake-app-secret', secret: 'fake-verify-token' };

export const proveAsMeta: HookSuite['prove'] = (call, { consumer_secret = '', secret = '' }) => {
  if (call.method === 'GET') {
    return { ...call, query: { ...call.query, 'hub.verify_token': secret } };
  }
  const mac = createHmac('sha256', consumer_secret).update(call.body).digest('hex');
  return { ...call, headers: { ...call.headers, 'X-Hub-Signature-256': `sha256=${mac}` } };
};

export const HANDSHAKE: HookCase = {
  it: 'answers the verification challenge',
  call: { method: 'GET', query: { 'hub.mode': 'subscribe', 'hub.challenge': '1158201444' } },
  inboundEvents: [],
  answer: { text: '1158201444' },
};
