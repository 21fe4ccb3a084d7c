import type { SQLInputValue } from 'node:sqlite';

import {
  type CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';

import type { Connection } from './connection.ts';
import type { Row } from './protocol.ts';

/** Lets Kysely speak to the thread that owns the database. */
export class SqliteThreadDialect implements Dialect {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  createDriver(): Driver {
    return new ThreadDriver(this.#connection);
  }

  createQueryCompiler(): SqliteQueryCompiler {
    return new SqliteQueryCompiler();
  }

  createAdapter(): SqliteAdapter {
    return new SqliteAdapter();
  }

  createIntrospector(db: Kysely<unknown>): DatabaseIntrospector {
    return new SqliteIntrospector(db);
  }
}

/** The database for as long as one query or one transaction needs it. */
class Held implements DatabaseConnection {
  readonly #connection: Connection;
  readonly release: () => void;

  constructor(connection: Connection, release: () => void) {
    this.#connection = connection;
    this.release = release;
  }

  async executeQuery<R>(compiled: CompiledQuery): Promise<QueryResult<R>> {
    const parameters = compiled.parameters as SQLInputValue[];
    const { rows, changes } = await this.run(compiled.sql, parameters);
    return { rows: rows as R[], numAffectedRows: BigInt(changes) };
  }

  // oxlint-disable-next-line require-yield, typescript/require-await -- Kysely asks for it; nothing of ours streams
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('the embedded store does not stream');
  }

  run(sql: string, parameters: SQLInputValue[] = []): Promise<{ rows: Row[]; changes: number }> {
    return this.#connection.send({ kind: 'query', sql, parameters });
  }

  rollback(): Promise<void> {
    return this.#connection.send({ kind: 'rollback' });
  }
}

class ThreadDriver implements Driver {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<Held> {
    return new Held(this.#connection, await this.#connection.hold());
  }

  async beginTransaction(held: Held): Promise<void> {
    await held.run('begin immediate');
  }

  async commitTransaction(held: Held): Promise<void> {
    await held.run('commit');
  }

  async rollbackTransaction(held: Held): Promise<void> {
    await held.rollback();
  }

  releaseConnection(held: Held): Promise<void> {
    held.release();
    return Promise.resolve();
  }

  async destroy(): Promise<void> {
    await this.#connection.close();
  }
}
