import assert from 'node:assert/strict';

import type { Case } from './cases.ts';
import type { Given } from './driver.ts';

/* The activities that every client builds from the same descriptions. */

const url = 'https://example.com/file';
const to = 'somebody';
const CONTEXT = 'https://www.w3.org/ns/activitystreams';
const frame = {
  '@context': CONTEXT,
  type: 'Create',
  generator: { type: 'Service' },
  to: { type: 'Person', id: to },
};

const EVENT: Given['event'] = {
  id: 17,
  type: 'message.received',
  timestamp: '2026-11-15T09:30:00.000Z',
  data: {
    '@context': CONTEXT,
    id: 'https://messages.example.com/1/events/17',
    type: 'Create',
    published: 1_794_735_000,
    generator: { type: 'Service', id: '4', name: 'telegram' },
    actor: { type: 'Person', id: '123456789', name: 'Ada' },
    target: { type: 'Application', id: '4', name: 'telegram' },
    object: { type: 'Note', id: '123456789:7', content: 'Is anybody there?' },
  },
};
const IN_GROUP: Given['event'] = {
  ...EVENT,
  data: {
    ...EVENT.data,
    actor: { type: 'Person', id: '-100' },
    target: { type: 'Group', id: '-100' },
    object: {
      ...EVENT.data.object,
      attributedTo: { type: 'Person', id: '7' },
      context: { type: 'Object', content: 'thread-1' },
    },
  },
};
const answered = (recipient: object, more: object = {}) => ({
  ...frame,
  generator: { type: 'Service', id: '4' },
  to: recipient,
  object: { type: 'Note', content: 'Yes', inReplyTo: '123456789:7', ...more },
});

/** The operation, its arguments and the result. */
const TABLE: readonly (readonly [string, Partial<Given>, unknown])[] = [
  [
    'compose',
    { message: { to: 7, via: 'telegram', text: 'Hello' } },
    {
      ...frame,
      generator: { type: 'Service', name: 'telegram' },
      to: { type: 'Person', id: 7 },
      object: { type: 'Note', content: 'Hello' },
    },
  ],
  ['compose', { message: { to, image: url } }, { ...frame, object: { type: 'Image', url } }],
  [
    'compose',
    { message: { to, text: 'Look', video: { url, mediaType: 'video/mp4' } } },
    {
      ...frame,
      object: {
        type: 'Note',
        content: 'Look',
        attachment: [{ type: 'Video', url, mediaType: 'video/mp4' }],
      },
    },
  ],
  [
    'compose',
    { message: { to, audio: url, buttons: ['Again'] } },
    { ...frame, object: { type: 'Audio', url, attachment: [{ type: 'Button', name: 'Again' }] } },
  ],
  [
    'compose',
    { message: { to, document: { url, name: 'a.pdf' }, id: 'a' } },
    { ...frame, object: { type: 'Document', url, name: 'a.pdf', id: 'a' } },
  ],
  [
    'compose',
    { message: { to, html: '<b>sent</b>' } },
    { ...frame, object: { type: 'Note', content: '<b>sent</b>', mediaType: 'text/html' } },
  ],
  [
    'compose',
    {
      message: {
        to: { type: 'Group', id: '-100', name: 'All' },
        via: 5,
        id: 'order-7',
        title: 'Order 7',
        markdown: '**sent**',
        buttons: ['Thanks', { name: 'Follow', url }, { name: 'Buy', value: 'buy:tea' }],
        image: url,
        place: { latitude: 1, longitude: 2 },
        replyTo: 'greeting-1',
        thread: 'thread-1',
        expires: '2026-11-15T18:00:00Z',
        from: { name: 'Shop' },
      },
    },
    {
      ...frame,
      generator: { type: 'Service', id: '5' },
      to: { type: 'Group', id: '-100', name: 'All' },
      actor: { type: 'Person', name: 'Shop' },
      object: {
        type: 'Note',
        name: 'Order 7',
        content: '**sent**',
        mediaType: 'text/markdown',
        attachment: [
          { type: 'Image', url },
          { type: 'Place', latitude: 1, longitude: 2 },
          { type: 'Button', name: 'Thanks' },
          { type: 'Button', name: 'Follow', url },
          { type: 'Button', name: 'Buy', value: 'buy:tea' },
        ],
        id: 'order-7',
        inReplyTo: 'greeting-1',
        context: { type: 'Object', content: 'thread-1' },
      },
      endTime: '2026-11-15T18:00:00.000Z',
    },
  ],
  ['reply', { event: EVENT, text: 'Yes' }, answered({ type: 'Person', id: '123456789' })],
  [
    'reply',
    { event: IN_GROUP, text: 'Yes' },
    answered({ type: 'Group', id: '-100' }, { context: { type: 'Object', content: 'thread-1' } }),
  ],
  [
    'reply',
    { event: IN_GROUP, text: 'Yes', privately: true },
    answered({ type: 'Person', id: '7' }),
  ],
  [
    'update',
    { message: { to, id: 'a', text: 'New' } },
    { ...frame, type: 'Update', object: { type: 'Note', content: 'New', id: 'a' } },
  ],
  [
    'remove',
    { object_id: 'a', to, via: '5' },
    {
      ...frame,
      type: 'Delete',
      generator: { type: 'Service', id: '5' },
      object: { type: 'Tombstone', id: 'a' },
    },
  ],
  ['pressed', { event: EVENT }, null],
  [
    'pressed',
    {
      event: {
        ...EVENT,
        data: {
          ...EVENT.data,
          object: {
            ...EVENT.data.object,
            attachment: [{ type: 'Button', name: 'Buy', value: 'buy:tea' }],
          },
        },
      },
    },
    'buy:tea',
  ],
];

export const COMPOSE_CASES: readonly Case[] = [
  [
    'builds the same activities',
    async (driver) => {
      for (const [op, given, expected] of TABLE) {
        const { value, error } = await driver.ask(op, given);
        assert.deepEqual(value, expected, JSON.stringify([op, given, error]));
      }
      const { error } = await driver.ask('update', { message: { to, text: 'No id' } });
      assert.equal(error?.kind, 'usage');
    },
  ],
];
