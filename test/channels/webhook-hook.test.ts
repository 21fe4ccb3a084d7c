import { Webhook } from 'standardwebhooks';

import { webhook } from '../../src/channels/webhook.ts';
import { testHook } from './hooks.ts';

/* https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */

const SECRET = `whsec_${Buffer.from('fake-example-secret-of-an-endpoint').toString('base64')}`;
const ada = { id: 'customer-42', name: 'Ada' };
const told = { key: 'msg_1', from: ada };
const activity = (more: object) => ({
  body: {
    '@context': 'https://www.w3.org/ns/activitystreams',
    type: 'Create',
    actor: { type: 'Person', ...ada },
    ...more,
  },
});

testHook(webhook, {
  credentials: { address: 'https://example.com/hook', secret: SECRET },
  // The public package signs.
  prove(made, { secret = '' }, now) {
    const key = secret.startsWith('whsec_') ? secret : Buffer.from(secret).toString('base64');
    const signature = new Webhook(key).sign('msg_1', new Date(now), made.body.toString());
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(now / 1000)),
      'webhook-signature': `v1,bm90LWl0 ${signature}`,
    };
    return { ...made, headers: { ...made.headers, ...headers } };
  },
  coversBody: true,
  window: 5 * 60,
  cases: [
    {
      it: 'hears what somebody writes, and what it answers',
      call: activity({
        object: { type: 'Note', id: 'n1', content: 'Hello 👋', inReplyTo: 'n0' },
        context: 'order-7',
      }),
      arrivals: [
        { ...told, what: 'message', id: 'n1', text: 'Hello 👋', replyTo: 'n0', thread: 'order-7' },
      ],
    },
    {
      it: 'hears what is said in a group',
      call: activity({
        target: { type: 'Group', id: 'team', name: 'Team' },
        object: { type: 'Note', content: 'Hello' },
      }),
      arrivals: [{ ...told, what: 'message', group: { id: 'team', name: 'Team' }, text: 'Hello' }],
    },
    {
      it: 'hears that something was changed, or taken back',
      call: activity({ type: 'Update', object: { type: 'Note', id: 'n1', content: 'Hullo' } }),
      arrivals: [{ ...told, what: 'edit', id: 'n1', text: 'Hullo' }],
    },
    {
      it: 'hears that something was taken back',
      call: activity({ type: 'Delete', object: { type: 'Tombstone', id: 'n1' } }),
      arrivals: [{ ...told, what: 'deletion', id: 'n1' }],
    },
  ],
});
