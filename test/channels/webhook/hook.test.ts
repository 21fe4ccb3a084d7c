import { Webhook } from 'standardwebhooks';

import { webhook } from '../../../src/channels/webhook/channel.ts';
import type { ActivityObject } from '../../../src/model/activity.ts';
import { testHook } from '../hooks.ts';

/* https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */

const SECRET = `whsec_${Buffer.from('fake-example-secret-of-an-endpoint').toString('base64')}`;
const ada = { id: 'customer-42', name: 'Ada' };
const eventBase = { key: 'msg_1', from: ada };
const activity = (more: object) => ({
  body: {
    '@context': 'https://www.w3.org/ns/activitystreams',
    type: 'Create',
    actor: { type: 'Person', ...ada },
    ...more,
  },
});

const url = 'https://example.com/a.png';
const place = { type: 'Place', latitude: 48.2, longitude: 16.37, name: 'Vienna' };
const button = { type: 'Button', name: 'Yes', value: 'yes' };
const context = { type: 'Object', content: 'order-7' };
const OBJECTS: ActivityObject[] = [
  { type: 'Image', id: 'i1', url, mediaType: 'image/png', content: 'Look', context },
  { type: 'Document', name: 'a.pdf', url },
  { type: 'Video', url, preview: { type: 'Image', url }, duration: 'PT5S' },
  { type: 'Audio', url, icon: url, duration: 'PT1M' },
  { ...place, content: 'Here' },
  {
    type: 'Note',
    content: '**Two**',
    mediaType: 'text/markdown',
    name: 'Subject',
    attachment: [{ type: 'Image', url }, { type: 'Audio', url }, place, button],
  },
  {
    type: 'Collection',
    items: [
      { type: 'Note', content: 'One', attachment: [button] },
      { type: 'Image', url },
    ],
  },
];

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
      it: 'receives a message with its sender, its replied-to id and its time',
      call: activity({
        object: { type: 'Note', id: 'n1', content: 'Hello 👋', inReplyTo: 'n0' },
        context: 'order-7',
        published: 1_763_200_200,
      }),
      inboundEvents: [
        {
          ...eventBase,
          what: 'message',
          at: 1_763_200_200_000,
          object: {
            type: 'Note',
            id: 'n1',
            content: 'Hello 👋',
            inReplyTo: 'n0',
            context: { type: 'Object', content: 'order-7' },
          },
        },
      ],
    },
    ...OBJECTS.map((object) => ({
      it: `receives a ${object.type} unchanged`,
      call: activity({ object }),
      inboundEvents: [{ ...eventBase, what: 'message' as const, object }],
    })),
    {
      it: 'receives a group message',
      call: activity({
        target: { type: 'Group', id: 'team', name: 'Team' },
        object: { type: 'Note', content: 'Hello' },
      }),
      inboundEvents: [
        {
          ...eventBase,
          what: 'message',
          group: { id: 'team', name: 'Team' },
          object: { type: 'Note', content: 'Hello' },
        },
      ],
    },
    {
      it: 'receives an edit',
      call: activity({ type: 'Update', object: { type: 'Note', id: 'n1', content: 'Hullo' } }),
      inboundEvents: [
        { ...eventBase, what: 'edit', object: { type: 'Note', id: 'n1', content: 'Hullo' } },
      ],
    },
    {
      it: 'receives a deletion',
      call: activity({ type: 'Delete', object: { type: 'Tombstone', id: 'n1' } }),
      inboundEvents: [{ ...eventBase, what: 'deletion', id: 'n1' }],
    },
  ],
});
