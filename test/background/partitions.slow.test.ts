import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { sql } from 'kysely';

import type { Store } from '../../src/store/store.ts';
import { TestClock } from '../support/clock.ts';
import { openWebhookDelivery, whenSent } from '../support/service/delivery.ts';
import { until } from '../support/until.ts';

const HOUR = 60 * 60 * 1000;

/** The partition in which a row is. */
async function partitionOf(store: Store, table: string, column: string, id: number) {
  const { rows } = await sql<{ name: string }>`select tableoid::regclass::text as name
    from ${sql.table(table)} where ${sql.ref(column)} = ${id}`.execute(store.engine.db);
  return rows[0]?.name;
}

async function partitions(store: Store): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    where relispartition and relkind = 'r' order by relname`.execute(store.engine.db);
  return rows.map(({ name }) => name);
}

/** A service that keeps for a day, in pieces of two hours, at a time for which there are none to begin with. */
async function open() {
  const clock = new TestClock(Date.UTC(2041, 4, 1));
  const environment = { SWITCHBOARD_RETENTION_DAYS: '1' };
  const sb = await openWebhookDelivery('postgres', { clock, environment });
  const { store } = sb.service;
  await until('there are partitions for the present', async () => {
    return (await partitions(store)).includes('events_2041050100');
  });
  /** Lets hours pass, and waits for what is then made and dropped. */
  const pass = async (hours: number) => {
    clock.leap(hours * HOUR);
    const present = new Date(Math.floor(clock.now() / (2 * HOUR)) * 2 * HOUR);
    const name = `events_${present.toISOString().slice(0, 13).replaceAll(/\D/g, '')}`;
    await until(`there is ${name}`, async () => (await partitions(store)).includes(name));
  };
  return { sb, clock, store, pass };
}

describe('partitions of PostgreSQL', () => {
  it('partitions of PostgreSQL are dropped when all their rows are past retention, while queued messages stay and delivery continues', async () => {
    const { sb, clock, store, pass } = await open();
    await using _ = sb;
    sb.peer.next({ status: 400 });
    const failed = await sb.send('failed', 'ada');
    await sb.settled(failed);
    const sent = await sb.send('sent', 'ada');
    await whenSent(sb, clock, sent);
    sb.peer.next({ status: 429, headers: { 'retry-after': '60' } });
    const queued = await sb.send('queued', 'ada');
    await sb.waiting(queued, 'rate_limit');
    await sb.app.delete(`/1/integrations/${sb.integrationId}/disable`);

    assert.equal(await partitionOf(store, 'outbox', 'id', queued), 'outbox_open');
    assert.equal(await partitionOf(store, 'outbox', 'id', sent), 'outbox_2041050100');
    assert.equal(await partitionOf(store, 'outbox', 'id', failed), 'outbox_2041050100');
    assert.equal(await partitionOf(store, 'attempts', 'message_id', sent), 'attempts_2041050100');
    const { applicationId } = sb;
    const ofEvents = await partitionOf(store, 'events', 'application_id', applicationId);
    assert.equal(ofEvents, 'events_2041050100');

    await pass(27);
    await until('they are dropped', async () => {
      return (await partitions(store)).every((name) => !name.endsWith('_2041050100'));
    });
    for (const id of [sent, failed]) {
      assert.equal((await sb.app.get(`/1/messages/${id}`)).status, 404);
      assert.deepEqual(await store.attempts.list({ applicationId, id, activity: '' }), []);
    }
    assert.deepEqual((await sb.app.get('/1/events')).body.data, []);
    assert.equal((await sb.show(queued)).state, 'queued');

    await sb.change({ state: 'enable' });
    await whenSent(sb, clock, queued);
    assert.equal((await sb.attempts(queued)).at(-1)?.outcome, 'sent');
    assert.equal(await partitionOf(store, 'outbox', 'id', queued), 'outbox_2041050202');
    const [event] = (await sb.app.get('/1/events')).body.data;
    assert.equal(event.id, 3, 'the feed goes on with the next number');
  });

  it('partitions of PostgreSQL keep a message by the time when it was last settled, not when it was accepted', async () => {
    const { sb, clock, store, pass } = await open();
    await using _ = sb;
    sb.peer.next({ status: 400 });
    const id = await sb.send('again', 'ada');
    await sb.settled(id);
    await pass(16);
    await sb.app.post(`/1/messages/${id}/resend`, {});
    await whenSent(sb, clock, id);
    const again = await partitionOf(store, 'outbox', 'id', id);
    assert.equal(again, 'outbox_2041050116');
    await pass(12);
    await until('the first is dropped', async () => {
      return !(await partitions(store)).includes('outbox_2041050100');
    });
    assert.equal((await sb.show(id)).state, 'sent');
    await pass(15);
    await until('it is gone', async () => {
      return (await sb.app.get(`/1/messages/${id}`)).status === 404;
    });
  });

  it('partitions of PostgreSQL are created for rows that were stored without them', async () => {
    const { sb, clock, store } = await open();
    await using _ = sb;
    await sql`drop table outbox_2041050100, outbox_2041050102`.execute(store.engine.db);
    const id = await sb.send('without', 'ada');
    await whenSent(sb, clock, id);
    assert.equal(await partitionOf(store, 'outbox', 'id', id), 'outbox_rest');
    clock.leap(HOUR);
    await until('the missing partitions exist', async () => {
      const names = await partitions(store);
      return ['outbox_2041050101', 'outbox_2041050102'].every((name) => names.includes(name));
    });
    assert.equal((await sb.show(id)).state, 'sent');
    assert.equal(await partitionOf(store, 'outbox', 'id', id), 'outbox_rest');
    const next = await sb.send('with', 'ada');
    await whenSent(sb, clock, next);
    assert.equal(await partitionOf(store, 'outbox', 'id', next), 'outbox_2041050101');
  });
});
