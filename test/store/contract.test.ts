import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';

import { type Config, readConfig } from '../../src/config.ts';
import type { Application } from '../../src/model/application.ts';
import type { Integration } from '../../src/model/integration.ts';
import type { NewMessage } from '../../src/model/message.ts';
import { createTeam, openStore } from '../../src/setup.ts';
import { AlreadyAnswered, Conflict } from '../../src/store/faults.ts';
import type { Store } from '../../src/store/store.ts';
import { ENGINES, type TestDatabase, createDatabase } from '../support/store/databases.ts';

/* The store's contract, on both engines. */
for (const engine of ENGINES) {
  describe(`the store (${engine})`, () => {
    let database: TestDatabase;
    let config: Config;
    let store: Store;
    before(async () => {
      database = await createDatabase(engine);
      config = readConfig(database.environment);
      store = await openStore(config);
    });
    after(async () => {
      await store.close();
      await database.dispose();
    });

    const unique = () => randomBytes(6).toString('hex');
    const draft = (change: Partial<NewMessage> = {}): NewMessage => ({
      applicationId: 1,
      integrationId: 2,
      recipient: 'someone',
      activity: '{"a":1}',
      objectId: null,
      type: 'Create',
      expiresAt: null,
      createdAt: 1_000,
      ...change,
    });
    const newApplication = async (teamId: number): Promise<Application> => {
      const application: Application = {
        id: await store.nextId(),
        teamId,
        ownerId: 1,
        name: 'application',
        state: 'enable',
        webhookUrl: null,
        uncertain: 'resend',
        createdAt: 5,
        updatedAt: 5,
      };
      await store.applications.insert(application);
      return application;
    };
    const newIntegration = async (applicationId: number): Promise<Integration> => {
      const integration: Integration = {
        id: await store.nextId(),
        applicationId,
        name: 'telegram',
        state: 'enable',
        mode: 'live',
        label: null,
        account: null,
        credentials: { token: 'one' },
        options: {},
        createdAt: 5,
        updatedAt: 5,
      };
      await store.integrations.insert(integration);
      return integration;
    };

    it('the store gives unique, increasing ids to concurrent callers', async () => {
      const ids = await Promise.all(Array.from({ length: 50 }, () => store.nextId()));
      assert.equal(new Set(ids).size, 50);
      assert.ok((await store.nextId()) > Math.max(...ids));
    });

    it('the store reuses no id after a restart or a deletion', async () => {
      const before_ = await store.nextId();
      const [accepted] = await store.messages.accept([
        { messages: [draft({ applicationId: 77 })] },
      ]);
      assert.ok(accepted && 'ids' in accepted);
      await store.purges.deleteMessages(77, 10);
      await store.close();
      store = await openStore(config);
      assert.ok((await store.nextId()) > before_);
      const [later] = await store.messages.accept([{ messages: [draft()] }]);
      assert.ok(later && 'ids' in later && (later.ids[0] ?? 0) > (accepted.ids[0] ?? 0));
    });

    it('the store commits durably', async () => {
      const { version, durable } = await store.engine.describe();
      assert.match(version, /^(SQLite|PostgreSQL) \d+/);
      // The tests' PostgreSQL runs without fsync for speed, which the store must detect.
      assert.equal(durable, engine === 'sqlite');
    });

    it('the store applies migrations once, and then has none pending', async () => {
      assert.deepEqual(await store.migrate(), []);
      assert.deepEqual(await store.pendingMigrations(), []);
    });

    it('the store accepts many submissions in one commit, with ids in their order', async () => {
      const submissions = Array.from({ length: 20 }, (_, i) => ({
        messages: Array.from({ length: 1 + (i % 3) }, (_unused, j) =>
          draft({ applicationId: 500, recipient: `${i}.${j}` }),
        ),
      }));
      const accepted = await store.messages.accept(submissions);
      const ids = accepted.flatMap((one) => ('ids' in one ? one.ids : []));
      assert.deepEqual(
        ids,
        ids.toSorted((a, b) => a - b),
      );
      const stored = await store.messages.getAll(500, ids);
      assert.deepEqual(
        stored.map(({ recipient }) => recipient),
        submissions.flatMap(({ messages }) => messages.map(({ recipient }) => recipient)),
      );
    });

    it('the store skips a submission with a known idempotency key, and stores the others', async () => {
      const scope = unique();
      const idempotency = { tenantId: 1, scope, key: 'k', hash: 'h' };
      const [first] = await store.messages.accept([{ messages: [draft(), draft()], idempotency }]);
      assert.ok(first && 'ids' in first);
      const again = await store.messages.accept([
        { messages: [draft()] },
        { messages: [draft(), draft()], idempotency },
        { messages: [draft()], idempotency: { ...idempotency, key: 'other' } },
      ]);
      assert.deepEqual(
        again.map((one) => ('ids' in one ? one.ids.length : 'repeated')),
        [1, 'repeated', 1],
      );
      const earlier = await store.idempotency.get(idempotency);
      assert.deepEqual(
        earlier?.messages?.map(({ id }) => id),
        first.ids,
      );
    });

    it('of two submissions with the same idempotency key in one commit, the store keeps one', async () => {
      const idempotency = { tenantId: 1, scope: unique(), key: 'k', hash: 'h' };
      const both = await store.messages.accept([
        { messages: [draft()], idempotency },
        { messages: [draft()], idempotency },
      ]);
      assert.deepEqual(
        both.map((one) => 'ids' in one),
        [true, false],
      );
      const [first] = both;
      const earlier = await store.idempotency.get(idempotency);
      assert.deepEqual(
        earlier?.messages?.map(({ id }) => id),
        first && 'ids' in first ? first.ids : undefined,
      );
    });

    it('the store accepts messages in many concurrent commits', async () => {
      const applicationId = 600;
      const results = await Promise.all(
        Array.from({ length: 40 }, () =>
          store.messages.accept([{ messages: [draft({ applicationId })] }]),
        ),
      );
      const ids = results.flat().flatMap((one) => ('ids' in one ? one.ids : []));
      assert.equal(new Set(ids).size, 40);
      assert.equal((await store.messages.list(applicationId, {}, { limit: 100 })).items.length, 40);
    });

    it('the store keeps unusual text unchanged', async () => {
      const text = 'é \u{1F388} \u202Eabc \\ " \' % _ ; -- \r\n\t \uFFFD {}[],"';
      const [accepted] = await store.messages.accept([
        {
          messages: [
            draft({ applicationId: 700, recipient: text, activity: JSON.stringify(text) }),
          ],
        },
      ]);
      assert.ok(accepted && 'ids' in accepted);
      const message = await store.messages.get(700, accepted.ids[0] ?? 0);
      assert.deepEqual([message?.recipient, message?.activity], [text, JSON.stringify(text)]);
      assert.equal(
        (await store.messages.list(700, { recipient: text }, { limit: 5 })).items.length,
        1,
      );
    });

    it('one of many concurrent callers cancels a message', async () => {
      const [accepted] = await store.messages.accept([
        { messages: [draft({ applicationId: 800 })] },
      ]);
      assert.ok(accepted && 'ids' in accepted);
      const [id = 0] = accepted.ids;
      const canceled = await Promise.all(
        Array.from({ length: 20 }, () => store.lanes.cancel(800, id, 9)),
      );
      assert.equal(canceled.filter((change) => change?.changed).length, 1);
      assert.equal((await store.messages.get(800, id))?.state, 'canceled');
      assert.equal(
        await store.messages.get(801, id),
        undefined,
        'not visible to another application',
      );
    });

    it('concurrent changes of credentials are all kept', async () => {
      const { id } = await newIntegration(900);
      const names = [
        'secret',
        'refresh',
        'username',
        'address',
        'consumer_key',
        'consumer_secret',
      ] as const;
      await Promise.all(
        names.map((name) =>
          store.integrations.update(900, id, (current) => ({
            ...current,
            credentials: { ...current.credentials, [name]: name },
          })),
        ),
      );
      const changed = await store.integrations.get(900, id);
      assert.deepEqual(changed?.credentials, {
        token: 'one',
        ...Object.fromEntries(names.map((name) => [name, name])),
      });
      assert.equal(await store.integrations.update(901, id, (current) => current), false);
    });

    it('the store rolls back a transaction that fails', async () => {
      const email = `${unique()}@example.com`;
      const { owner } = await createTeam(store, { name: 'One', email, password: null });
      const teams = (await store.teams.all()).length;
      await assert.rejects(createTeam(store, { name: 'Two', email, password: null }), Conflict);
      assert.equal((await store.teams.all()).length, teams, 'no team without its owner');
      const key = { tenantId: 1, scope: unique(), key: 'k', hash: 'h' };
      const record = store.idempotency.seal(key, '{"status":201}', 5);
      await assert.rejects(
        store.users.insert({ ...owner, id: await store.nextId() }, record),
        Conflict,
      );
      assert.equal(await store.idempotency.get(key), undefined);
      const application = await newApplication(owner.teamId);
      await store.idempotency.put(record);
      const second = { ...application, id: await store.nextId() };
      await assert.rejects(store.applications.insert(second, record), AlreadyAnswered);
      assert.equal(await store.applications.get(second.id), undefined);
    });

    it('deleting an application deletes its integrations, and no other', async () => {
      const { team } = await createTeam(store, {
        name: 'T',
        email: `${unique()}@example.com`,
        password: null,
      });
      const doomed = await newApplication(team.id);
      const other = await newApplication(team.id);
      const integration = await newIntegration(doomed.id);
      const kept = await newIntegration(other.id);
      assert.equal(
        await store.applications.delete(team.id + 1, doomed.id, 1),
        false,
        'not by another team',
      );
      assert.equal(await store.applications.delete(team.id, doomed.id, 1), true);
      assert.equal(await store.integrations.get(doomed.id, integration.id), undefined);
      assert.ok(await store.integrations.get(other.id, kept.id));
      assert.ok((await store.purges.list()).some(({ resourceId }) => resourceId === doomed.id));
    });

    it('lists are paged by creation time and id in both directions, and say whether there is more', async () => {
      const applicationId = 1_000;
      // Several in one millisecond, and a clock that moved backwards.
      const times = [50, 50, 50, 40, 60, 60, 45];
      const [accepted] = await store.messages.accept([
        { messages: times.map((createdAt) => draft({ applicationId, createdAt })) },
      ]);
      assert.ok(accepted && 'ids' in accepted);
      const wanted = accepted.ids
        .map((id, i) => ({ id, at: times[i] ?? 0 }))
        .toSorted((a, b) => b.at - a.at || b.id - a.id)
        .map(({ id }) => id);
      const list = (request: object) =>
        store.messages.list(applicationId, {}, { limit: 3, ...request });
      const idsOf = ({ items }: { items: { id: number }[] }) => items.map(({ id }) => id);
      const first = await list({});
      assert.deepEqual([idsOf(first), first.older, first.newer], [wanted.slice(0, 3), true, false]);
      const second = await list({ startingAfter: wanted[2] });
      assert.deepEqual(
        [idsOf(second), second.older, second.newer],
        [wanted.slice(3, 6), true, true],
      );
      const third = await list({ startingAfter: wanted[5] });
      assert.deepEqual([idsOf(third), third.older, third.newer], [wanted.slice(6), false, true]);
      const back = await list({ endingBefore: wanted[3] });
      assert.deepEqual([idsOf(back), back.older, back.newer], [wanted.slice(0, 3), true, false]);
      assert.deepEqual(
        idsOf(await store.messages.list(1_001, {}, { limit: 3, startingAfter: wanted[2] ?? 0 })),
        [],
      );
    });

    it('the store deletes expired idempotency records and sign-in links, and no others', async () => {
      const caller = { tenantId: 1, scope: unique() };
      const put = (key: string, at: number) =>
        store.idempotency.put(store.idempotency.seal({ ...caller, key, hash: 'h' }, '{}', at));
      await put('old', 100);
      await put('new', 10_000);
      while ((await store.idempotency.deleteOlder(5_000, 2)) > 0);
      assert.equal(await store.idempotency.get({ ...caller, key: 'old' }), undefined);
      assert.ok(await store.idempotency.get({ ...caller, key: 'new' }));

      await store.users.insertSignInLink(unique(), 1, 100);
      const link = unique();
      await store.users.insertSignInLink(link, 1, 10_000);
      await store.users.deleteExpiredLinks(5_000);
      assert.equal(await store.users.takeSignInLink(link, 5_000), 1);
      assert.equal(await store.users.takeSignInLink(link, 5_000), undefined, 'a link works once');
    });
  });
}
