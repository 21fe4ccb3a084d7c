import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it, mock } from 'node:test';

import pg from 'pg';

import { readConfig } from '../../src/config.ts';
import { createTeam, openStore } from '../../src/setup.ts';
import type { Database } from '../../src/store/sqlite/database.ts';
import type { Store } from '../../src/store/store.ts';
import {
  ENGINES,
  type TestDatabase,
  administer,
  createDatabase,
} from '../support/store/databases.ts';
import { exercise, watchCalls } from '../support/store/exercise/exercise.ts';
import { createApplication } from '../support/store/exercise/subject.ts';
import { fillTables } from '../support/store/filled.ts';
import { type Plan, slowNodes, slowSteps } from '../support/store/query-plans.ts';
import { openRecordedStore } from '../support/store/recorded-store.ts';

type Exceptions = readonly (readonly [RegExp, string])[];

/** Statements that may scan a table or sort rows, with the reason why that is harmless. */
const ALLOWED: Exceptions = [
  [
    /^select "node", count\(\*\) as "count" from "ownerships" group/,
    'only with peers; 2 ms for 50,000',
  ],
  [
    /^select count\(\*\) as "count" from "ownerships" where/,
    'counts integrations without a living owner',
  ],
  [/^with late as/, 'only after the clock moved backwards'],
  [/^update "routes" set "due_at" = case/, 'only after the clock moved backwards'],
  [/^update ownerships set paused_until =/, 'only after the clock moved backwards'],
  [/^select i\.name as channel/, 'sorts paused and failing integrations'],
  [
    /^select i\.name as channel, cast\(sum\(waiting\.count\)/,
    'sorts the channels of one batch of the queue',
  ],
  [/^select (at|channel|application_id).* from statistics/s, 'sorts the counts of 20 applications'],
  [/^select .* from "cost_totals"/, 'sorts the costs of 20 applications'],
  [/^select \* from "jobs" where "application_id"/, 'sorts the jobs of one application'],
  [/^delete from "sign_in_addresses" where/, 'sorts the 20 addresses of one user'],
  [/^select \* from "invitations" where "team_id"/, 'sorts the open invitations of one team'],
  [/^update parts set pending = 1 where/, 'sorts the messages sent to one recipient'],
  [
    /^select \* from "(teams|users)" order by "id"$/,
    'lists of the command line, in a separate process',
  ],
  [/^select \* from "users" order by "id" limit/, 'reads the first row of the key'],
  [/^select \* from "purges" order by "created_at" limit/, 'reads the first rows of an index'],
  [
    /^select tenant_id, scope, key, response from idempotency/,
    'rotate-keys, in a separate process',
  ],
  [/^select "id" as id, "subject" as sealed from "erasures"/, 'rotate-keys, in a separate process'],
];

/** Statements that PostgreSQL plans well once its tables are analyzed, which happens automatically. */
const ALLOWED_ON_POSTGRES: Exceptions = [
  ...ALLOWED,
  [/^delete from chat_visitors/, 'looks for visitors without entries, once an hour'],
];

const isAllowed = (statement: string, exceptions = ALLOWED) =>
  exceptions.some(([pattern]) => pattern.test(statement.trim()));

/** Calls every method of the store; returns those that were not called. */
async function exerciseAll(store: Store): Promise<string[]> {
  const owner = { name: 'team', email: 'owner@example.com', password: null };
  const { team, owner: user } = await createTeam(store, owner);
  const subject = await createApplication(store, { teamId: team.id, userId: user.id });
  const watched = watchCalls(store);
  await exercise(watched.store, subject);
  return watched.uncalled();
}

const isPlanned = (statement: string) =>
  /^\s*(select|insert|update|delete|with)\b/i.test(statement);

/** Keeps the plans the same for tables without statistics, however long the test takes. */
const DISABLE_AUTOVACUUM = `do $$ declare name text; begin
  for name in select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace loop
    execute format('alter table %I set (autovacuum_enabled = off)', name);
  end loop; end $$`;

function report(slow: Map<string, string[]>): string {
  return [...slow].map(([text, steps]) => `${text.trim()}\n  ${steps.join('\n  ')}`).join('\n\n');
}

describe('query plans of all statements', () => {
  describe('of the embedded store', { skip: !ENGINES.includes('sqlite') }, () => {
    let database: Database;
    let folder: TestDatabase;
    let path: string;
    let statements: string[];
    let uncalled: string[];
    before(async () => {
      folder = await createDatabase('sqlite');
      path = join(folder.folder, 'recorded.db');
      const recorded = await openRecordedStore(path);
      database = recorded.database;
      uncalled = await exerciseAll(recorded.store);
      statements = [...recorded.statements].filter(isPlanned);
    });
    after(async () => {
      database.close();
      await folder.dispose();
    });

    function slow(): Map<string, string[]> {
      const found = new Map<string, string[]>();
      for (const statement of statements) {
        const { rows } = database.query(`explain query plan ${statement}`, []);
        const steps = slowSteps(
          statement,
          (rows as { detail: string }[]).map(({ detail }) => detail),
        );
        if (steps.length > 0 && !isAllowed(statement)) found.set(statement, steps);
      }
      return found;
    }

    it('the exercise calls every method of the embedded store', () =>
      assert.deepEqual(uncalled, []));

    it('no statement scans a growing table without SQLite statistics', () => {
      assert.equal(report(slow()), '');
    });

    it('no statement scans a growing table with SQLite statistics', () => {
      fillTables(path, 2_000);
      database.query(`update ownerships set node = 'exercise'`, []);
      database.query('analyze', []);
      assert.equal(report(slow()), '');
    });

    it('every exception for a slow statement is still needed', () => {
      const unused = ALLOWED.filter(
        ([pattern]) => !statements.some((text) => pattern.test(text.trim())),
      );
      assert.deepEqual(unused, []);
    });
  });

  describe('of PostgreSQL', { skip: !ENGINES.includes('postgres') }, () => {
    let database: TestDatabase;
    const statements = new Set<string>();
    before(async () => {
      database = await createDatabase('postgres', { migrated: true });
      const store = await openStore(readConfig(database.environment));
      await administer(database.environment['SWITCHBOARD_DATABASE'] ?? '', DISABLE_AUTOVACUUM);
      const { query } = pg.Client.prototype;
      const spy = mock.method(pg.Client.prototype, 'query', function (
        this: pg.Client,
        ...given: Parameters<typeof query>
      ) {
        const [asked] = given as unknown[];
        const text = typeof asked === 'string' ? asked : (asked as { text?: string }).text;
        if (text !== undefined && isPlanned(text)) statements.add(text);
        return Reflect.apply(query as (...given: unknown[]) => unknown, this, given);
      } as typeof query);
      await exerciseAll(store);
      spy.mock.restore();
      await store.close();
    });
    after(() => database.dispose());

    it('every statement can find its rows by index on PostgreSQL', async () => {
      const client = new pg.Client(database.environment['SWITCHBOARD_DATABASE']);
      await client.connect();
      const slow = new Map<string, string[]>();
      try {
        // With this setting, PostgreSQL scans a table only if no index fits.
        await client.query('set enable_seqscan = off');
        for (const statement of statements) {
          if (isAllowed(statement, ALLOWED_ON_POSTGRES)) continue;
          const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
            `explain (generic_plan, format json) ${statement}`,
          );
          const steps = rows.flatMap((row) => slowNodes(row['QUERY PLAN'][0].Plan));
          if (steps.length > 0) slow.set(statement, steps);
        }
      } finally {
        await client.end();
      }
      assert.equal(report(slow), '');
    });
  });
});
