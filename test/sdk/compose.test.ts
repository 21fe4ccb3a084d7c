import assert from 'node:assert/strict';
import { it } from 'node:test';

import {
  type Activity,
  type EventOf,
  activityOf,
  audio,
  button,
  document,
  image,
  note,
  place,
  pressed,
  remove,
  reply,
  update,
  video,
} from '../../sdk/src/index.ts';
import { openWebhookDelivery } from '../support/service/delivery.ts';
import { applicationClient } from './support.ts';

const to = 'somebody';
const via = 'webhook';
const url = 'https://example.com/file';

const received: EventOf<'message.received'> = {
  id: 17,
  type: 'message.received',
  timestamp: '2026-11-15T09:30:00.000Z',
  data: {
    '@context': 'https://www.w3.org/ns/activitystreams',
    id: 'https://messages.example.com/1/events/17',
    type: 'Create',
    published: 1_794_735_000,
    generator: { type: 'Service', id: '4', name: 'telegram' },
    actor: { type: 'Person', id: '123456789', name: 'Ada' },
    target: { type: 'Application', id: '4', name: 'telegram' },
    object: { type: 'Note', id: '123456789:7', content: 'Is anybody there?' },
  },
};

it('the builders create the activity of each kind of message', () => {
  const object = (activity: Activity) => activity.object;
  assert.deepEqual(note('Hello', { to: 7, via: 'telegram' }), {
    '@context': 'https://www.w3.org/ns/activitystreams',
    type: 'Create',
    generator: { type: 'Service', name: 'telegram' },
    to: { type: 'Person', id: 7 },
    object: { type: 'Note', content: 'Hello' },
  });
  assert.deepEqual(object(image(url, { to })), { type: 'Image', url });
  assert.deepEqual(object(video({ url, mediaType: 'video/mp4' }, { to, text: 'Look' })), {
    type: 'Note',
    content: 'Look',
    attachment: [{ type: 'Video', url, mediaType: 'video/mp4' }],
  });
  assert.deepEqual(object(audio(url, { to, buttons: ['Again'] })), {
    type: 'Audio',
    url,
    attachment: [{ type: 'Button', name: 'Again' }],
  });
  assert.deepEqual(object(document({ url, name: 'a.pdf' }, { to, id: 'a' })), {
    type: 'Document',
    url,
    name: 'a.pdf',
    id: 'a',
  });
  assert.deepEqual(object(place({ latitude: 1, longitude: 2, name: 'Here' }, { to })), {
    type: 'Place',
    latitude: 1,
    longitude: 2,
    name: 'Here',
  });
  assert.deepEqual(button('More', url), { type: 'Button', name: 'More', url });
  const bought = { type: 'Button', name: 'Buy', value: 'buy:tea' };
  assert.deepEqual(button('Buy', { value: 'buy:tea' }), bought);
});

it('reads which button was pressed', () => {
  assert.equal(pressed(received), undefined);
  const press = (attachment: { type: 'Button'; name: string; value?: string }[]) =>
    pressed({ ...received.data, object: { ...received.data.object, attachment } });
  assert.equal(press([{ type: 'Button', name: 'Buy', value: 'buy:tea' }]), 'buy:tea');
  assert.equal(press([{ type: 'Button', name: 'Buy' }]), 'Buy');
});

it('activityOf converts the short form to an activity, and returns an activity unchanged', () => {
  const activity = activityOf({
    to: { type: 'Group', id: '-100', name: 'All' },
    via: 5,
    id: 'order-7',
    title: 'Order 7',
    markdown: '**sent**',
    buttons: ['Thanks', button('Follow', url)],
    image: url,
    place: { latitude: 1, longitude: 2 },
    replyTo: 'greeting-1',
    thread: 'thread-1',
    expires: new Date('2026-11-15T18:00:00Z'),
    from: { name: 'Shop' },
  });
  assert.deepEqual(activity, {
    '@context': 'https://www.w3.org/ns/activitystreams',
    type: 'Create',
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
      ],
      id: 'order-7',
      inReplyTo: 'greeting-1',
      context: { type: 'Object', content: 'thread-1' },
    },
    endTime: '2026-11-15T18:00:00.000Z',
  });
  assert.equal(activityOf(activity), activity);
  assert.equal(activityOf({ to, html: '<b>sent</b>' }).object.mediaType, 'text/html');
});

it('reply addresses the sender, or the group that the message came from', () => {
  const answer = reply(received, 'Yes', { id: 'answer-1' });
  assert.deepEqual(
    [answer.to, answer.generator, answer.object],
    [
      { type: 'Person', id: '123456789' },
      { type: 'Service', id: '4' },
      { type: 'Note', content: 'Yes', id: 'answer-1', inReplyTo: '123456789:7' },
    ],
  );
  const target = { type: 'Group', id: '-100', name: 'All' } as const;
  const context = { type: 'Object', content: 'thread-1' } as const;
  const actor = { type: 'Person', id: '-100', name: 'Ada' } as const;
  const attributedTo = { type: 'Person', id: '123456789' } as const;
  const object = { ...received.data.object, context, attributedTo };
  const groupMessage = { ...received.data, actor, target, object };
  const inGroup = reply(groupMessage, { text: 'Yes', image: url });
  assert.deepEqual([inGroup.to, inGroup.object.context], [{ type: 'Group', id: '-100' }, context]);
  const aside = reply(groupMessage, 'Yes', { privately: true });
  assert.deepEqual(
    [aside.to, aside.object.context],
    [{ type: 'Person', id: '123456789' }, undefined],
  );
});

it('update and remove refer to an earlier message by id', () => {
  const changed = update({ id: 'order-7', to, via, text: 'It is there' });
  assert.deepEqual([changed.type, changed.object.id], ['Update', 'order-7']);
  assert.throws(() => update(note('It is there', { to, via })), /an id is required/);
  assert.deepEqual(remove('order-7', { to, via }).object, { type: 'Tombstone', id: 'order-7' });
});

it('the service accepts everything that the builders create', async () => {
  await using sb = await openWebhookDelivery('sqlite');
  const { client } = await applicationClient(sb.service);
  await client.integrations.create({ name: 'webhook', address: sb.peer.url });
  const messages = [
    note('Hello', { to, via, id: 'first', buttons: ['Yes', button('More', url)] }),
    image(url, { to, via, text: 'A caption' }),
    video(url, { to, via }),
    audio(url, { to, via, title: 'A title' }),
    document({ url, name: 'a.pdf', mediaType: 'application/pdf' }, { to, via }),
    place({ latitude: 52.52, longitude: 13.4 }, { to, via, thread: 'thread-1' }),
    { to, via, markdown: '**Hello**', replyTo: 'first', expires: new Date(Date.now() + 60_000) },
    { to, via, attachments: [button('Alone')], html: '<i>Hello</i>' },
  ];
  const accepted = await client.messages.sendAll(messages);
  assert.equal(accepted.length, messages.length);
  const last = await client.messages.settled(accepted.at(-1)?.id ?? 0);
  assert.equal(last.state, 'sent');
  const changes = [update({ id: 'first', to, via, text: 'Hi' }), remove('first', { to, via })];
  for (const change of changes) {
    const { id } = await client.messages.send(change);
    assert.equal((await client.messages.settled(id)).state, 'sent');
  }
});
