import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';

import { sql } from 'kysely';

import { type Id, NO_ID } from '../../src/model/id.ts';
import { ENDPOINT } from '../../src/model/integration.ts';
import { createTeam } from '../../src/setup.ts';
import { ChangeWatch } from '../../src/store/accounts/change-watch.ts';
import { KEPT_CHANGES, recordChanges } from '../../src/store/accounts/changes.ts';
import { StoreUnavailable } from '../../src/store/faults.ts';
import type { Store } from '../../src/store/store.ts';
import { TestClock } from '../support/clock.ts';
import { integrate, message } from '../support/service/activity.ts';
import { startTestService } from '../support/service/service.ts';
import { ENGINES } from '../support/store/databases.ts';
import { exercise } from '../support/store/exercise/exercise.ts';
import { createApplication } from '../support/store/exercise/subject.ts';
import { openRecordedStore } from '../support/store/recorded-store.ts';

/** After which a change must be known everywhere. */
const A_SECOND = 1_000;

/** A watch of the store with its own clock, and what it dropped. */
async function watching(store: Store) {
  const clock = new TestClock();
  const watch = new ChangeWatch(store, clock);
  const dropped: (Id | 'all')[] = [];
  watch.attach({ drop: (ids) => void dropped.push(...(ids === 'all' ? [ids] : ids)) });
  await watch.refresh();
  return {
    watch,
    clock,
    /** Advances the clock, and returns what the watch drops. */
    async after(milliseconds: number) {
      clock.advance(milliseconds);
      dropped.length = 0;
      await watch.refresh();
      return dropped.toSorted();
    },
  };
}

for (const engine of ENGINES) {
  describe(`the cache of a node (${engine})`, () => {
    it('a node does not read cached resources again while nothing changes, and notices a change within a second', async () => {
      const clock = new TestClock(Date.now());
      await using first = await startTestService(engine, { clock });
      await using second = await startTestService(engine, { clock, database: first.database });
      const [one, other] = [await first.application(), await first.application()];
      const integration = await integrate(one.app, one.application.id);
      await integrate(other.app, other.application.id);
      const signers = mock.method(second.store.keys, 'signers');
      const outlines = mock.method(second.store.integrations, 'listOutlines');
      const reads = () => [signers.mock.callCount(), outlines.mock.callCount()];
      const send = async ({ app }: typeof one) =>
        (await second.as(app.token).post('/1/message', message())).status;

      assert.deepEqual([await send(one), await send(other)], [202, 202]);
      const before = reads();
      for (let i = 0; i < 10; i++) {
        clock.advance(A_SECOND);
        assert.deepEqual([await send(one), await send(other)], [202, 202]);
      }
      assert.deepEqual(reads(), before);

      await one.app.delete(`/1/integrations/${integration.id}/disable`);
      clock.advance(A_SECOND);
      assert.deepEqual([await send(one), await send(other)], [422, 202]);
      assert.deepEqual(reads()[1], (before[1] ?? 0) + 1, 'only one has changed');

      await first.api.delete(`/1/applications/${one.application.id}/disable`);
      clock.advance(A_SECOND);
      assert.deepEqual([await send(one), await send(other)], [403, 202]);

      const { body: keys } = await first.api.get(
        `/1/keys/applications?resource_id=${other.application.id}`,
      );
      await first.api.delete(`/1/keys/applications/${keys.data[0].id}`);
      clock.advance(A_SECOND);
      assert.equal(await send(other), 401);
    });

    it('a node does not use its cache while it cannot read the change log', async () => {
      const clock = new TestClock(Date.now());
      await using sb = await startTestService(engine, { clock });
      const { app } = await sb.application();
      assert.equal((await app.get('/1/messages')).status, 200);
      clock.advance(A_SECOND);
      const reading = mock.method(sb.store.changes, 'after', () =>
        Promise.reject(new StoreUnavailable('unreachable')),
      );
      assert.equal((await app.get('/1/messages')).status, 503);
      reading.mock.restore();
      assert.equal((await app.get('/1/messages')).status, 200);
    });

    it('a node drops a cached resource once per change, and everything after too many changes', async () => {
      await using sb = await startTestService(engine);
      const { store } = sb;
      const { db } = store.engine;
      const { after } = await watching(store);
      await recordChanges(db, 7, 8);
      assert.deepEqual(await after(300), [7, 8]);
      assert.deepEqual(await after(300), []);
      await recordChanges(db, 9);
      assert.deepEqual(await after(60_000), [9]);
      assert.deepEqual(await after(60_000), []);
      await store.changes.recordAll();
      assert.deepEqual(await after(300), ['all']);

      for (let i = 0; i < KEPT_CHANGES; i += 500) {
        await recordChanges(db, ...Array.from({ length: 501 }, (_, n) => n + 1));
      }
      await store.changes.prune();
      const { rows } = await sql<{ n: number }>`select count(*) as n from changes`.execute(db);
      assert.ok(Number(rows[0]?.n) <= KEPT_CHANGES);
      assert.deepEqual(await after(60_000), ['all']);
      await recordChanges(db, 5);
      await after(10_000);
      await recordChanges(db, 6);
      assert.deepEqual(await after(300), [6]);
    });

    if (engine === 'sqlite') return;

    it('a node notices a change that commits after changes with higher numbers', async () => {
      await using sb = await startTestService(engine);
      const { db } = sb.store.engine;
      const { after } = await watching(sb.store);
      await db.transaction().execute(async (trx) => {
        await recordChanges(trx, 7);
        await recordChanges(db, 8);
        assert.deepEqual(await after(300), [8]);
        assert.deepEqual(await after(4_000), []);
      });
      assert.deepEqual(await after(300), [7]);
    });

    it('a node notices a change of a transaction that was open when the watch began', async () => {
      await using sb = await startTestService(engine);
      const { db } = sb.store.engine;
      const committed = Promise.withResolvers<void>();
      const began = Promise.withResolvers<void>();
      const changing = db.transaction().execute(async (trx) => {
        await recordChanges(trx, 7);
        await recordChanges(db, 8);
        began.resolve();
        await committed.promise;
      });
      await began.promise;
      const { after } = await watching(sb.store);
      committed.resolve();
      await changing;
      assert.deepEqual(await after(300), [7]);
    });
  });
}

it('every store method that changes a cached resource writes to the change log', async () => {
  const { store, database } = await openRecordedStore();
  const owner = { name: 'team', email: 'owner@example.com', password: null };
  const { team, owner: user } = await createTeam(store, owner);
  const subject = await createApplication(store, { teamId: team.id, userId: user.id });
  database.query('create temp table touched (resource_id)', []);
  const watch = (table: string, columns: string, resources: string) => {
    for (const [when, row] of [
      ['delete', 'old'],
      [`update of ${columns}`, 'old'],
    ] as const) {
      const values = resources.replaceAll('ROW', row);
      database.query(
        `create temp trigger ${table}_${when.slice(0, 6)} after ${when} on ${table}
         begin insert into touched values (${values}); end`,
        [],
      );
    }
  };
  // A key goes with its user, application or team, or by itself: any of these will do.
  const key = `json_array(ROW.id, ROW.resource_id, ROW.team_id)`;
  database.query(
    `create temp trigger keys_delete after delete on keys when old.expires_at is null
     begin insert into touched values (${key.replaceAll('ROW', 'old')}); end`,
    [],
  );
  watch('users', 'state, team_id', 'json_array(ROW.id)');
  watch('teams', 'name', 'json_array(ROW.id)');
  watch('applications', 'state, team_id', 'json_array(ROW.id)');
  // Nothing caches the hidden integration of a webhook.
  watch(
    'integrations',
    'name, state, credentials, options',
    `case when ROW.name <> '${ENDPOINT}' then json_array(ROW.application_id) end`,
  );
  database.query(
    `create temp trigger integrations_insert after insert on integrations
     begin insert into touched select json_array(new.application_id) where new.name <> '${ENDPOINT}'; end`,
    [],
  );
  const missed: string[] = [];
  const tables = new Set<number>();
  let last = (await store.changes.after(0))[0]?.id ?? 0;
  // After each call, since another call may write to the log for the same resource.
  await exercise(afterEachCall(store, checkLog), subject);
  // Reads the database itself: a call may be part of a transaction.
  function checkLog(method: string): void {
    const { rows } = database.query(
      'select resource_id from touched where resource_id is not null',
      [],
    );
    database.query('delete from touched', []);
    const log = 'select id, resource_id from changes where id > ? order by id desc';
    const changes = database.query(log, [last]).rows as { id: number; resource_id: Id }[];
    const recorded = new Set(changes.map(({ resource_id }) => resource_id));
    last = changes[0]?.id ?? last;
    for (const { resource_id: ids } of rows as { resource_id: string }[]) {
      const resources = JSON.parse(ids) as Id[];
      tables.add(resources.length);
      if (!recorded.has(NO_ID) && !resources.some((id) => recorded.has(id))) missed.push(method);
    }
  }
  assert.equal(tables.size, 2, 'keys and other resources were written');
  assert.deepEqual(missed, []);
  database.close();
});

/** The store, with a check after each call of a method of its parts. */
function afterEachCall(store: Store, check: (method: string) => void): Store {
  const checked = (name: string, part: object) =>
    new Proxy(part, {
      get(target, method) {
        const value: unknown = Reflect.get(target, method);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          const result: unknown = value.apply(target, args);
          if (!(result instanceof Promise)) return result;
          return result.then((answer: unknown) => {
            check(`${name}.${String(method)}`);
            return answer;
          });
        };
      },
    });
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value === 'function') return value.bind(target) as unknown;
      if (name === 'engine' || name === 'changes' || typeof value !== 'object') return value;
      return value && checked(String(name), value);
    },
  });
}
