import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';

import { sql } from 'kysely';

import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/setup.ts';
import type { Store } from '../../src/store/store.ts';
import { INTERNAL_TABLES, TABLES, inDatabase, keyIn } from '../../src/store/tables.ts';
import { ENGINES, type TestDatabase, createDatabase } from '../support/store/databases.ts';

const NAMES = Object.keys(TABLES) as (keyof typeof TABLES)[];

it('docs/scaling.md distributes every table by its tenant column', () => {
  const text = readFileSync(new URL('../../docs/scaling.md', import.meta.url), 'utf8');
  const distributed = text.matchAll(/^select create_distributed_table\('(\w+)', '(\w+)'/gm);
  const copied = text.matchAll(/^select create_reference_table\('(\w+)'\)/gm);
  const said = [...distributed, ...copied].map(([, table, column]) => [table, column ?? null]);
  const tenants = NAMES.map((table) => {
    const { tenant } = TABLES[table];
    return [inDatabase(table), tenant === null ? null : inDatabase(tenant)];
  });
  assert.deepEqual(said.toSorted(), tenants.toSorted());
});

interface Index {
  table: string;
  columns: string[];
  isPrimary: boolean;
}

for (const engine of ENGINES) {
  describe(`database tables (${engine})`, () => {
    let database: TestDatabase;
    let store: Store;
    before(async () => {
      database = await createDatabase(engine);
      store = await openStore(readConfig(database.environment));
    });
    after(async () => {
      await store.close();
      await database.dispose();
    });

    /** All tables that are not partitions. */
    async function tables(): Promise<string[]> {
      const { rows } =
        engine === 'postgres'
          ? await sql<{ name: string }>`select relname as name from pg_class
              where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`.execute(
              store.engine.db,
            )
          : await sql<{ name: string }>`select name from sqlite_schema
              where type = 'table' and name not like 'sqlite_%'`.execute(store.engine.db);
      return rows.map(({ name }) => name);
    }

    /** Unique indexes with their columns in order. */
    async function uniqueIndexes(): Promise<Index[]> {
      const { rows } =
        engine === 'postgres'
          ? await sql<{ table: string; columns: string; isPrimary: boolean }>`
              select c.relname as table, i.indisprimary as is_primary,
                (select string_agg(a.attname, ' ' order by k.place) from unnest(i.indkey) with ordinality
                  as k (attnum, place) join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum) as columns
              from pg_index i join pg_class c on c.oid = i.indrelid
              where c.relnamespace = 'public'::regnamespace and i.indisunique and not c.relispartition`.execute(
              store.engine.db,
            )
          : await sql<{ table: string; columns: string; isPrimary: 0 | 1 }>`
              select t.name as "table", 1 as is_primary,
                (select group_concat(p.name, ' ') from
                  (select name from pragma_table_info(t.name) where pk > 0 order by pk) as p) as columns
              from sqlite_schema t where t.type = 'table' and t.name not like 'sqlite_%'`.execute(
              store.engine.db,
            );
      return rows.map(({ table, columns, isPrimary }) => ({
        table,
        columns: columns.split(' '),
        isPrimary: Boolean(isPrimary),
      }));
    }

    it('every database table is listed in TABLES', async () => {
      const listed = NAMES.map(inDatabase);
      const internal: readonly string[] = INTERNAL_TABLES;
      const found = (await tables()).filter((name) => !internal.includes(name));
      assert.deepEqual(found.toSorted(), listed.toSorted());
    });

    it('every database table has the primary key listed in TABLES', async () => {
      const found = (await uniqueIndexes()).filter(({ isPrimary }) => isPrimary);
      for (const table of NAMES) {
        const layout = TABLES[table];
        const time = engine === 'postgres' && 'time' in layout ? [layout.time] : [];
        const expected = [...keyIn(engine, table), ...time].map(inDatabase);
        const key = found.find((index) => index.table === inDatabase(table));
        assert.deepEqual(key?.columns, expected, table);
      }
    });

    if (engine !== 'postgres') return;

    it('every unique index starts with the tenant column, except in tables without a tenant', async () => {
      const indexes = await uniqueIndexes();
      for (const table of NAMES) {
        const { tenant } = TABLES[table];
        if (tenant === null) continue;
        const own = indexes.filter((index) => index.table === inDatabase(table));
        assert.ok(own.length > 0, table);
        for (const { columns } of own)
          assert.equal(columns[0], inDatabase(tenant), `${table}: ${columns.join(', ')}`);
      }
    });

    it('every foreign key starts with the tenant column', async () => {
      const { rows } = await sql<{ table: string; column: string }>`
        select c.conrelid::regclass::text as table, a.attname as column from pg_constraint c
        join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
        where c.contype = 'f'`.execute(store.engine.db);
      const tenants = new Map(NAMES.map((table) => [inDatabase(table), TABLES[table].tenant]));
      for (const { table, column } of rows) {
        assert.equal(column, inDatabase(tenants.get(table) ?? ''), table);
      }
    });

    it('tables with a time column in TABLES are partitioned by it, and only those', async () => {
      const { rows } = await sql<{ table: string; strategy: string; column: string }>`
        select c.relname as table, p.partstrat as strategy, a.attname as column from pg_partitioned_table p
        join pg_class c on c.oid = p.partrelid
        join pg_attribute a on a.attrelid = c.oid and a.attnum = p.partattrs[0]`.execute(
        store.engine.db,
      );
      const expected = NAMES.flatMap((name) => {
        const layout = TABLES[name];
        if (!('time' in layout)) return [];
        return { table: inDatabase(name), strategy: 'r', column: inDatabase(layout.time) };
      });
      assert.deepEqual(
        rows.toSorted((a, b) => a.table.localeCompare(b.table)),
        expected.toSorted((a, b) => a.table.localeCompare(b.table)),
      );
    });
  });
}
