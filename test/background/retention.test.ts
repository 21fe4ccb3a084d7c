import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Retention } from '../../src/store/upkeep/retention.ts';
import { TestClock } from '../support/clock.ts';
import { integrate, message } from '../support/service/activity.ts';
import { openWebhookDelivery } from '../support/service/delivery.ts';
import { startTestService } from '../support/service/service.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

for (const engine of ENGINES) {
  describe(`retention (${engine})`, () => {
    it('retention removes messages settled before the retention period, and nothing else', async () => {
      const clock = new TestClock();
      const environment = { SWITCHBOARD_RETENTION_DAYS: '2' };
      await using sb = await openWebhookDelivery(engine, { clock, environment });
      const { store } = sb.service;
      const isGone = async (id: number) =>
        (await sb.app.get(`/1/messages/${id}`)).status === 404 &&
        (await store.attempts.list({ applicationId: sb.applicationId, id, activity: '' }))
          .length === 0;

      const sent = await sb.send('sent', 'ada');
      await sb.settled(sent);
      sb.peer.next({ status: 400 });
      const failed = await sb.send('failed', 'ada');
      await sb.settled(failed);
      sb.peer.next({ status: 429, headers: { 'retry-after': '60' } });
      const queued = await sb.send('queued', 'ada');
      await sb.waiting(queued, 'rate_limit');
      const canceled = await sb.send('canceled', 'ada');
      await sb.app.delete(`/1/messages/${canceled}`);
      await sb.app.delete(`/1/integrations/${sb.integrationId}/disable`);

      clock.leap(1.5 * DAY);
      await integrate(sb.app, sb.applicationId, { name: 'webhook', address: sb.peer.url });
      const younger = await sb.send('younger', 'ada');
      await until('the younger one', async () => {
        clock.advance(1000);
        return (await sb.show(younger)).state === 'sent';
      });
      clock.leap(DAY);
      for (const id of [sent, failed, canceled]) await until('it is gone', () => isGone(id));
      assert.equal((await sb.show(queued)).state, 'queued', 'however long it waits');
      assert.equal((await sb.show(younger)).state, 'sent');
      assert.equal((await sb.attempts(younger)).length, 1);

      await sb.change({ state: 'enable' });
      await until('the queued one', async () => {
        clock.advance(1000);
        return (await sb.show(queued)).state === 'sent';
      });
      clock.leap(1.5 * DAY);
      await until('the younger one is gone', () => isGone(younger));
      assert.equal((await sb.show(queued)).state, 'sent', 'it counts from when it was settled');
      clock.leap(DAY);
      await until('the last one is gone', () => isGone(queued));
    });
  });
}

it('retention goes through all messages of the embedded store in batches, and stops where they are younger', async () => {
  const clock = new TestClock();
  await using sb = await startTestService('sqlite', { clock });
  const { application, app } = await sb.application();
  await integrate(app, application.id);
  const post = async (): Promise<number> => (await app.post('/1/message', message())).body.id;
  const old: number[] = [];
  for (let i = 0; i < 10; i++) old.push(await post());
  // Every other one stays queued.
  const canceled = old.filter((_, i) => i % 2 === 0);
  for (const id of canceled) await app.delete(`/1/messages/${id}`);
  clock.advance(HOUR / 2);
  const young: number[] = [];
  for (let i = 0; i < 6; i++) young.push(await post());
  for (const id of young) await app.delete(`/1/messages/${id}`);

  // One of its own: that of the service is at work too.
  const retention = new Retention(sb.store.engine, sb.store.events);
  const left = async () => {
    const { items } = await sb.store.messages.list(application.id, {}, { limit: 100 });
    return items.map(({ id }) => id).toSorted((a, b) => a - b);
  };
  const goOn = () => retention.removeOld(clock.now(), HOUR / 4, 4);
  await goOn();
  assert.deepEqual(await left(), [...old.filter((_, i) => i > 3 || i % 2 === 1), ...young]);
  await goOn();
  assert.deepEqual(await left(), [...old.filter((_, i) => i > 7 || i % 2 === 1), ...young]);
  while (await goOn());
  assert.deepEqual(await left(), [...old.filter((_, i) => i % 2 === 1), ...young]);
  while (await retention.removeOld(clock.now() + 1, 0, 100));
  assert.deepEqual(
    await left(),
    old.filter((_, i) => i % 2 === 1),
  );
});
