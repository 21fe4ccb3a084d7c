import { type RawBuilder, sql } from 'kysely';

import type { EngineName } from '../../schema.ts';

/** A statement or a part of one. */
export type Fragment = RawBuilder<unknown>;

/** The SQL fragments in which the engines differ. */
export interface Dialect {
  name: EngineName;
  /** The type of an id that is the whole primary key. In SQLite, only INTEGER makes it an alias of the rowid. */
  id: Fragment;
  /** Text that compares byte by byte: recipients, vendor ids, digests. Joined columns need the same collation. */
  exact: Fragment;
  bytes: Fragment;
  /**
   * Ends a table whose rows are mostly found by their key. In SQLite, a row is otherwise in one tree and its key in
   * another, and each insert writes to both.
   */
  clustered: Fragment;
  /** On PostgreSQL, every unique key starts with the tenant, so that tables can be distributed by it. */
  team: Fragment;
  application: Fragment;
  tenant: Fragment;
  /** Statements for one engine only. */
  onPostgres(...statements: Fragment[]): Fragment[];
  onSqlite(...statements: Fragment[]): Fragment[];
}

export const DIALECTS: Readonly<Record<EngineName, Dialect>> = {
  postgres: {
    name: 'postgres',
    id: sql`bigint`,
    exact: sql`text collate "C"`,
    bytes: sql`bytea`,
    clustered: sql``,
    team: sql`team_id, `,
    application: sql`application_id, `,
    tenant: sql`tenant_id, `,
    onPostgres: (...statements) => statements,
    onSqlite: () => [],
  },
  sqlite: {
    name: 'sqlite',
    id: sql`integer`,
    exact: sql`text`,
    bytes: sql`blob`,
    clustered: sql` without rowid`,
    team: sql``,
    application: sql``,
    tenant: sql``,
    onPostgres: () => [],
    onSqlite: (...statements) => statements,
  },
};
