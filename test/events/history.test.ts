import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { EventType } from '../../src/model/event.ts';
import type { Client, Reply } from '../support/service/client.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

onEachEngine('the event history', (sb) => {
  /** A feed of `count` events, every tenth of another type. */
  const make = async (count: number) => {
    const { application, app } = await sb().application();
    const append = (types: readonly EventType[]) =>
      sb().store.events.append(
        types.map((type) => ({
          applicationId: Number(application.id),
          type,
          data: '{}',
          media: null,
          createdAt: Date.now(),
        })),
      );
    const typeOf = (i: number) => ((i + 1) % 10 === 0 ? 'message.failed' : 'message.sent');
    await append(Array.from({ length: count }, (_unused, i) => typeOf(i)));
    return { app, append };
  };
  const idsIn = ({ body }: Reply) => body.data.map(({ id }: { id: number }) => id) as number[];
  const nextOf = (app: Client, { headers }: Reply) =>
    /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]?.replace(app.url, '');

  it('the event history is read backwards page by page', async () => {
    const { app } = await make(7);
    const first = await app.get('/1/events?order=desc&limit=3');
    assert.deepEqual(idsIn(first), [7, 6, 5]);
    const second = await app.get(nextOf(app, first) ?? '');
    assert.deepEqual(idsIn(second), [4, 3, 2]);
    const last = await app.get(nextOf(app, second) ?? '');
    assert.deepEqual([idsIn(last), nextOf(app, last)], [[1], undefined]);
    assert.deepEqual(idsIn(await app.get('/1/events?order=desc&before=3')), [2, 1]);
    assert.deepEqual(idsIn(await app.get('/1/events?order=desc&before=1')), []);
    assert.deepEqual(idsIn(await app.get('/1/events?order=desc&before=x&limit=1')), [7]);
    assert.deepEqual(idsIn(await app.get('/1/events?order=desc&before=999999&limit=1')), [7]);
  });

  it('the event history has no page before its beginning, also after purging', async () => {
    const { app } = await make(0);
    const empty = await app.get('/1/events?order=desc');
    assert.deepEqual([idsIn(empty), nextOf(app, empty)], [[], undefined]);
    const { application, app: other } = await sb().application();
    for (const createdAt of [1, Date.now()]) {
      const applicationId = Number(application.id);
      const event = { applicationId, data: '{}', media: null, createdAt };
      await sb().store.events.append([{ ...event, type: 'message.sent' }]);
    }
    await sb().store.events.removeOlder(Number(application.id), 1000, 100);
    const rest = await other.get('/1/events?order=desc&limit=1');
    assert.deepEqual([idsIn(rest), nextOf(other, rest)], [[2], undefined]);
  });

  it('the event history is filtered by type in either order', async () => {
    const { app } = await make(35);
    const failed = 'type=message.failed';
    assert.deepEqual(idsIn(await app.get(`/1/events?${failed}`)), [10, 20, 30]);
    assert.deepEqual(idsIn(await app.get(`/1/events?${failed}&order=desc`)), [30, 20, 10]);
    const some = await app.get(`/1/events?${failed}&order=desc&limit=2`);
    assert.deepEqual(idsIn(some), [30, 20]);
    assert.deepEqual(idsIn(await app.get(nextOf(app, some) ?? '')), [10]);
    const both = await app.get('/1/events?type=message.failed,message.sent&after=8&limit=3');
    assert.deepEqual(idsIn(both), [9, 10, 11]);
    assert.match(nextOf(app, both) ?? '', /type=message.failed%2Cmessage.sent.*after=11/);
    for (const none of ['type=message.read', 'type=nonsense', 'type=nonsense&order=desc']) {
      assert.deepEqual(idsIn(await app.get(`/1/events?${none}`)), [], none);
    }
  });

  it('returns a cursor behind skipped events, so that they are not read again', async () => {
    const { app, append } = await make(9);
    const none = await app.get('/1/events?type=message.failed');
    assert.match(nextOf(app, none) ?? '', /after=9/);
    await append(['message.failed']);
    assert.deepEqual(idsIn(await app.get(nextOf(app, none) ?? '')), [10]);
  });

  it('waits for an event of the requested type', async () => {
    const { app, append } = await make(3);
    const waiting = app.get('/1/events?type=message.failed&wait=20');
    for (let i = 0; i < 3; i++) await append(['message.sent']);
    await append(['message.failed']);
    assert.deepEqual(idsIn(await waiting), [7]);
  });

  it('reads in batches however rare a type is', async () => {
    const { app, append } = await make(0);
    await append(['message.failed']);
    for (let i = 0; i < 12; i++) {
      await append(Array.from({ length: 5_000 }, () => 'message.sent' as const));
    }
    const first = await app.get('/1/events?type=message.failed&order=desc');
    assert.deepEqual(idsIn(first), []);
    assert.match(nextOf(app, first) ?? '', /before=10002/);
    assert.deepEqual(idsIn(await app.get(nextOf(app, first) ?? '')), [1]);
  });
});
