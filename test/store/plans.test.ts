import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { sql } from 'kysely';
import pg from 'pg';

import { readConfig } from '../../src/config.ts';
import { MESSAGE_STATES, isSettled } from '../../src/model/message.ts';
import { openStore } from '../../src/setup.ts';
import { inState } from '../../src/store/messages/message-filter.ts';
import {
  dueMessages,
  endOfBatch,
  expiredMessages,
  scheduledMessages,
} from '../../src/store/messages/queue.ts';
import { ACCEPT, ACCEPT_ROUTED } from '../../src/store/postgres/accept.ts';
import { CLAIM } from '../../src/store/postgres/dispatch-round.ts';
import { SETTLE, SETTLE_HEALTH } from '../../src/store/postgres/settle.ts';
import type { Store } from '../../src/store/store.ts';
import { type TestDatabase, createDatabase } from '../support/store/databases.ts';
import { NOW, ownIntegration } from '../support/store/dispatch.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const WEEKS = 4;

interface Plan {
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Node Type': string;
  Plans?: Plan[];
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

describe('PostgreSQL plans', () => {
  let database: TestDatabase;
  let store: Store;
  let client: pg.Client;
  before(async () => {
    database = await createDatabase('postgres');
    store = await openStore(readConfig(database.environment));
    client = new pg.Client(database.environment['SWITCHBOARD_DATABASE']);
    await client.connect();
    // Drops the current partitions, because this test creates its own, starting some weeks ago.
    for (const name of await timed('9')) await client.query(`drop table ${name}`);
  });
  after(async () => {
    await client.end();
    await store.close();
    await database.dispose();
  });

  /** Partitions that start before a moment, which is written as in their names. */
  async function timed(moment: string): Promise<string[]> {
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relispartition and relkind = 'r'
        and relname ~ '_[0-9]{10}$' and right(relname, 10) < $1`,
      [moment],
    );
    return rows.map(({ name }) => name);
  }

  /** Messages settled in each of several weeks, and more that are queued. */
  async function fill() {
    const own = await ownIntegration(store);
    const ids: number[] = [];
    for (let week = WEEKS; week >= 0; week--) {
      const now = NOW - week * 7 * DAY_MS;
      await store.retention.prepare(now, 30 * DAY_MS);
      const recipients = Array.from({ length: 50 }, (_, i) => `${week} ${i}`);
      ids.push(...(await own.accept(...recipients)));
      const { claimed } = await own.round(50, [], now);
      const settled = claimed.map((one) => own.settle(one, { event: '{}', dueAt: now }));
      await own.round(0, settled, now);
    }
    await own.accept(...Array.from({ length: 100 }, (_, i) => `queued ${i}`));
    return { ...own, ids };
  }

  /** The generic plan, which a prepared statement reuses. */
  async function generic(text: string): Promise<Plan[]> {
    const { rows } = await client.query(`explain (generic_plan, format json) ${text}`);
    return nodesOf(rows[0]['QUERY PLAN'][0].Plan);
  }

  const partitions = /^(messages|attempts|events)_/;
  /** The condition that each index needs; without it, PostgreSQL reads the whole index. */
  const asked: Record<string, RegExp> = {
    outbox_open_pkey: /application_id = .*\bid = /,
    outbox_by_lane: /integration_id = .*recipient = /,
    lanes_key: /application_id = .*integration_id = .*recipient = /,
    lanes_due: /application_id = .*integration_id = .*due_at (<=|>)/,
  };

  const statements = { ACCEPT, ACCEPT_ROUTED, CLAIM, SETTLE, SETTLE_HEALTH };

  async function check(state: string): Promise<void> {
    for (const [name, text] of Object.entries(statements)) {
      for (const node of await generic(text)) {
        const { 'Relation Name': table = '', 'Index Name': index = '', 'Node Type': type } = node;
        if (!partitions.test(table) && table !== 'lanes') continue;
        if (table !== 'lanes') assert.equal(table, 'outbox_open', `${name}, ${state}: ${type}`);
        if (type === 'ModifyTable') continue;
        assert.match(
          node['Index Cond'] ?? '',
          asked[index] ?? /^never$/,
          `${name}, ${state}: ${type} by ${index}`,
        );
      }
    }
  }

  /** Checks that each query uses its index with its condition. */
  async function checkQueue(state: string): Promise<void> {
    const spot = { applicationId: 0, integrationId: 0, recipient: '', sequence: 0 };
    const found = [
      [expiredMessages(store.engine, NOW, 200), 'outbox_by_expiry', /^\(expires_at <= /],
      [endOfBatch(store.engine, spot, 5_000), 'outbox_by_lane', /^\(ROW\(integration_id, /],
      [dueMessages(store.engine, NOW, 500), 'outbox_by_due', /\(due_at <= /],
      [scheduledMessages(store.engine, spot, 200), 'outbox_by_integration', /integration_id = /],
    ] as const;
    for (const [query, index, condition] of found) {
      const { sql: text, parameters } = query.compile(store.engine.db);
      const { rows } = await client.query(`explain (format json) ${text}`, [...parameters]);
      const scan = nodesOf(rows[0]['QUERY PLAN'][0].Plan).find((node) => node['Relation Name']);
      assert.equal(scan?.['Index Name'], index, state);
      assert.match(scan?.['Index Cond'] ?? '', condition, state);
    }
  }

  it('PostgreSQL searches queued messages by index', async () => {
    const own = await ownIntegration(store);
    const recipients = Array.from({ length: 1_000 }, (_, i) => `many ${i}`);
    await checkQueue('with empty tables');
    for (let i = 0; i < 10; i++) await own.accept(...recipients);
    await checkQueue('before ANALYZE');
    await sql`analyze`.execute(store.engine.db);
    await checkQueue('after ANALYZE');
  });

  for (const state of MESSAGE_STATES.filter(isSettled)) {
    it(`PostgreSQL skips the partition of open messages in searches for ${state} ones`, async () => {
      const query = sql`select id from messages where application_id = 1 and ${inState(state)}`;
      const { sql: text, parameters } = query.compile(store.engine.db);
      const { rows } = await client.query(`explain (format json) ${text}`, [...parameters]);
      const tables = nodesOf(rows[0]['QUERY PLAN'][0].Plan).map((node) => node['Relation Name']);
      assert.ok(tables.includes('outbox_rest'));
      assert.ok(!tables.includes('outbox_open'));
    });
  }

  it('accept, claim and settle read only the partition of open messages, by index', async () => {
    await check('with empty tables');
    await fill();
    await check('before ANALYZE');
    await sql`analyze`.execute(store.engine.db);
    await check('after ANALYZE');
    await client.query('begin');
    await client.query('delete from outbox_open');
    await client.query('delete from lanes');
    await client.query('analyze');
    await check('after ANALYZE of empty tables');
    await client.query('rollback');
  });

  it('PostgreSQL reuses the plans of accept, claim and settle', async () => {
    const fresh = await createDatabase('postgres');
    const other = await openStore(readConfig(fresh.environment));
    try {
      const own = await ownIntegration(other);
      for (let i = 0; i < 10; i++) {
        await own.accept(`one ${i}`);
        const { claimed } = await own.round(16);
        await own.round(0, [own.settle(claimed[0], { event: '{}' })]);
      }
      // The statements run one at a time, so all on one connection. PostgreSQL makes five custom plans before it decides.
      const { rows } = await sql<{ name: string; anew: number; kept: number }>`
        select name, custom_plans as anew, generic_plans as kept from pg_prepared_statements
        where name in ('accept', 'claim', 'settle') order by name`.execute(other.engine.db);
      assert.deepEqual(rows, [
        { name: 'accept', anew: 5, kept: 5 },
        { name: 'claim', anew: 5, kept: 5 },
        { name: 'settle', anew: 5, kept: 5 },
      ]);
    } finally {
      await other.close();
      await fresh.dispose();
    }
  });

  it('new messages and events do not touch old partitions, even if these are locked', async () => {
    const own = await fill();
    const { applicationId, ids, accept, round, settle } = own;
    const newest = ids.at(-1) ?? 0;
    const last = await store.events.last(applicationId);
    const recent = new Date(store.engine.partitions?.recent ?? 0).toISOString();
    const older = await timed(recent.slice(0, 13).replaceAll(/\D/g, ''));
    assert.ok(older.length >= 3 * WEEKS, `${older.length} partitions are older than ${recent}`);
    await client.query('begin');
    for (const name of older) await client.query(`lock table ${name} in access exclusive mode`);
    // Often enough for prepared statements to use their generic plans.
    for (let i = 0; i < 10; i++) {
      const [id = 0] = await accept(`new ${i}`);
      const { claimed } = await round(1000);
      const mine = claimed.find((one) => one.id === id);
      await round(
        0,
        claimed.map((one) => settle(one, { state: one === mine ? 'sent' : 'queued', event: '{}' })),
      );
      assert.equal((await store.messages.get(applicationId, id))?.state, 'sent');
    }
    assert.equal((await store.messages.get(applicationId, newest))?.id, newest);
    const [id = 0] = await accept('canceled');
    assert.ok((await store.lanes.cancel(applicationId, id, NOW))?.changed);
    assert.ok((await store.lanes.resend(applicationId, newest, NOW)) !== undefined);
    assert.equal((await store.events.list(applicationId, last, 5)).length, 5);
    await client.query('rollback');
    const [oldest = 0] = ids;
    assert.equal((await store.messages.get(applicationId, oldest))?.id, oldest);
    assert.equal((await store.events.list(applicationId, 0, 1))[0]?.id, 1);
  });
});
