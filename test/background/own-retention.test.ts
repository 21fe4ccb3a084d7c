import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { sql } from 'kysely';

import type { Store } from '../../src/store/store.ts';
import { Retention } from '../../src/store/upkeep/retention.ts';
import { TestClock } from '../support/clock.ts';
import { integrate, message } from '../support/service/activity.ts';
import { startTestService } from '../support/service/service.ts';
import { ENGINES } from '../support/store/databases.ts';

const DAY = 24 * 60 * 60 * 1000;
const RETENTION = 2 * DAY;
const CANCELED = 10;

/** The partitions that cover a time. */
async function partitionsAt({ engine }: Store, at: number): Promise<string[]> {
  const { rows } = await sql<{ name: string; bounds: string }>`select relname as name,
      pg_get_expr(relpartbound, oid) as bounds
    from pg_class where relispartition and relkind = 'r'`.execute(engine.db);
  return rows.flatMap(({ name, bounds }) => {
    const [from = 0, to = 0] = [...bounds.matchAll(/\d+/g)].map(Number);
    return from > 1 && from <= at && at < to ? [name] : [];
  });
}

for (const engine of ENGINES) {
  describe(`the retention of an application (${engine})`, () => {
    async function open() {
      // Long after the partitions that migrating creates.
      const clock = new TestClock(Date.UTC(2041, 4, 1));
      const environment = { SWITCHBOARD_RETENTION_DAYS: '2' };
      const sb = await startTestService(engine, { clock, environment });
      const { store } = sb;
      // One of its own: that of the service is at work too.
      const retention = new Retention(store.engine, store.events);
      const sweep = async () => {
        await retention.prepare(clock.now(), RETENTION);
        while (await retention.removeOld(clock.now(), RETENTION, 4));
      };
      const policies = async (id: number, days: number | null) => {
        const api = sb.as(await sb.userToken(sb.owner));
        const { status } = await api.put(`/1/applications/${id}/policies`, { retention: { days } });
        assert.equal(status, 204);
      };
      /** An application with messages that are canceled, scheduled and queued, a conversation and a file. */
      const make = async (days: number | null) => {
        const { application, app } = await sb.application();
        const { id: integrationId } = await integrate(app, application.id);
        if (days !== null) await policies(application.id, days);
        const { body: scheduled } = await app.post('/1/message', {
          ...message(),
          send_at: new Date(clock.now() + 300 * DAY).toISOString(),
        });
        const { body: queued } = await app.post('/1/message', message());
        for (let i = 0; i < CANCELED; i++) {
          const { body } = await app.post('/1/message', message());
          await app.delete(`/1/messages/${body.id}`);
        }
        const applicationId = Number(application.id);
        await store.conversations.start(applicationId);
        const from = (await store.conversations.cursor(applicationId)) ?? 0;
        const last = { lastAt: clock.now(), lastEvent: 1, lastMessage: null };
        const received = [{ id: 1, at: clock.now() }];
        const change = {
          integrationId,
          recipient: 'ada',
          name: null,
          unread: 1,
          ...last,
          received,
        };
        await store.conversations.apply(applicationId, { from, to: from + 1, count: 0 }, [change]);
        await store.chatFiles.insert({
          applicationId,
          integrationId,
          visitor: 'ada',
          id: `file-${applicationId}`,
          name: 'a.png',
          mediaType: 'image/png',
          size: 1,
          createdAt: clock.now(),
          bytes: Buffer.from('a'),
        });
        assert.deepEqual([scheduled.state, queued.state], ['scheduled', 'queued']);
        const left = async () => {
          const { items } = await store.messages.list(applicationId, {}, { limit: 100 });
          const states = items.map(({ state }) => state);
          const waiting = states.filter((state) => state !== 'canceled').toSorted();
          assert.deepEqual(waiting, ['queued', 'scheduled'], 'whatever the retention is');
          const place = { applicationId, integrationId };
          return {
            messages: states.length - waiting.length,
            events: (await store.events.list(applicationId, 0, 100)).length,
            conversations: (await store.conversations.list(applicationId, { limit: 9 })).items
              .length,
            files: (
              await store.chatFiles.list({ ...place, visitor: 'ada' }, [`file-${applicationId}`])
            ).length,
          };
        };
        return { applicationId, left };
      };
      await sweep();
      return { sb, clock, store, sweep, policies, make };
    }

    const ALL = { messages: CANCELED, events: CANCELED, conversations: 1, files: 1 };
    const NONE = { messages: 0, events: 0, conversations: 0, files: 0 };

    it('the retention of an application may be shorter or longer than that of the service, and spares messages that wait', async () => {
      const { sb, clock, store, sweep, policies, make } = await open();
      await using _ = sb;
      const begin = clock.now();
      const applications = [await make(1), await make(null), await make(20), await make(20)];
      const left = () => Promise.all(applications.map((application) => application.left()));
      await sweep();
      assert.deepEqual(await left(), [ALL, ALL, ALL, ALL]);
      clock.leap(1.5 * DAY);
      await sweep();
      assert.deepEqual(await left(), [NONE, ALL, ALL, ALL]);
      clock.leap(DAY);
      await sweep();
      assert.deepEqual(await left(), [NONE, NONE, ALL, ALL]);
      if (engine === 'postgres') assert.equal((await partitionsAt(store, begin)).length, 2);
      const [, , , lowered] = applications;
      await policies(lowered?.applicationId ?? 0, null);
      await sweep();
      assert.deepEqual(await left(), [NONE, NONE, ALL, NONE]);
      clock.leap(18 * DAY);
      await sweep();
      assert.deepEqual(await left(), [NONE, NONE, NONE, NONE]);
      if (engine === 'postgres') assert.deepEqual(await partitionsAt(store, begin), []);
    });

    it('the retention of an application is applied by several nodes at once', async () => {
      const { sb, clock, store, make } = await open();
      await using _ = sb;
      const { left } = await make(1);
      for (let i = 0; i < 20; i++) {
        clock.leap(RETENTION / 10);
        await store.retention.prepare(clock.now(), RETENTION);
      }
      clock.leap(30 * DAY);
      const nodes = Array.from({ length: 4 }, () => new Retention(store.engine, store.events));
      const sweepAll = async (node: Retention) => {
        while (await node.removeOld(clock.now(), RETENTION, 4));
      };
      await Promise.all(nodes.map(sweepAll));
      assert.deepEqual(await left(), NONE);
    });

    it('the retention of an application ends with the application', async () => {
      const { sb, store, make } = await open();
      await using _ = sb;
      const { applicationId } = await make(20);
      assert.equal(await store.retention.days(applicationId), 20);
      await sb.api.delete(`/1/applications/${applicationId}`);
      assert.equal(await store.retention.days(applicationId), null);
      assert.equal(await store.retention.setDays(applicationId, 3), false);
    });
  });
}
