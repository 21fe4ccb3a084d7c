import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { eventOf, isEmitted } from '../../src/accept/inbound-events.ts';
import { findChannel } from '../../src/channels/index.ts';
import { ROOM_EVENTS, WITH_ROOMS } from './room-events.ts';
import { openContext } from './suite.ts';

/*
 * In a shared room, on every channel, `actor.id` is the room, which is where replies go, and `object.attributedTo`
 * is the author.
 */

describe('an event in a shared room', () => {
  for (const [name, what, { room, person, webhook = '', received }] of ROOM_EVENTS) {
    it(`an event in a shared room has the room as its actor and the person as its author: ${name}, ${what}`, async () => {
      const channel = findChannel(name);
      assert.ok(channel);
      await using context = openContext({ credentials: {}, url: '' });
      const body = Buffer.from(typeof webhook === 'string' ? webhook : JSON.stringify(webhook));
      const call = {
        method: 'POST',
        url: 'https://switchboard.example/1/hooks/7/a',
        path: '',
        query: new URLSearchParams(),
        header: (header: string) =>
          header === 'content-type'
            ? 'application/json'
            : header === 'webhook-id'
              ? 'm1'
              : undefined,
        body,
      };
      const inboundEvents = received
        ? received()
        : ((await channel.hook?.parse(call, context)) ?? []);
      const inboundEvent = inboundEvents.filter((one) => one !== undefined).find(isEmitted);
      assert.ok(inboundEvent, 'no event was emitted');
      const receiver = { id: 7, applicationId: 4, name, mode: 'live' } as const;
      const { data } = await eventOf(inboundEvent, receiver, 0);
      const { type, actor, object, target } = JSON.parse(data) as Record<
        'actor' | 'target' | 'object',
        { id: string; type: string; attributedTo?: { id: string } }
      > & { type: string };
      assert.equal(actor.id, room);
      assert.equal(type === 'Join' ? object.id : object.attributedTo?.id, person);
      assert.equal(target.type, 'Group');
      assert.ok(
        room === target.id || room.startsWith(`${target.id};`),
        'the target is another room',
      );
      assert.equal(
        channel.recipient.validate(actor.id),
        undefined,
        'the actor is not a valid recipient',
      );
    });
  }

  it('an event in a shared room is tested on every channel with rooms', () => {
    const tried = new Set(ROOM_EVENTS.map(([channel]) => channel));
    assert.deepEqual([...tried].toSorted(), WITH_ROOMS);
  });
});
