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

import type { DbQueue } from './db-queue.ts';
import type { Row } from './protocol.ts';

/** Connects Kysely to the database thread. */
export class SqliteThreadDialect implements Dialect {
  readonly #connection: DbQueue;

  constructor(connection: DbQueue) {
    this.#connection = connection;
  }

  createDriver(): Driver {
    return new ThreadDriver(this.#connection);
  }

  createQueryCompiler(): SqliteQueryCompiler {
    return new SqliteQueryCompiler();
  }

  createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }

  createIntrospector(db: Kysely<unknown>): DatabaseIntrospector {
    return new SqliteIntrospector(db);
  }
}

/**
 * Runs all migrations in one transaction: processes that start at the same time do not both migrate, and a crash
 * leaves nothing half done.
 */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Runs queries for Kysely. Only a transaction has exclusive access to the database. */
class ThreadConnection implements DatabaseConnection {
  readonly #connection: DbQueue;
  #release: (() => void) | undefined;

  constructor(connection: DbQueue) {
    this.#connection = connection;
  }

  async executeQuery<R>(compiled: CompiledQuery): Promise<QueryResult<R>> {
    const parameters = compiled.parameters as SQLInputValue[];
    const { rows, changes } = await this.#run(compiled.sql, parameters);
    return { rows: rows as R[], numAffectedRows: BigInt(changes) };
  }

  // oxlint-disable-next-line require-yield, typescript/require-await -- Kysely asks for it; nothing of ours streams
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('the embedded store does not support streaming');
  }

  async begin(): Promise<void> {
    this.#release = await this.#connection.hold();
    await this.#run('begin immediate');
  }

  async commit(): Promise<void> {
    await this.#run('commit');
  }

  async rollback(): Promise<void> {
    await this.#connection.send({ kind: 'rollback' });
  }

  release(): void {
    this.#release?.();
    this.#release = undefined;
  }

  #run(sql: string, parameters: SQLInputValue[] = []): Promise<{ rows: Row[]; changes: number }> {
    const request = { kind: 'query', sql, parameters } as const;
    return this.#release ? this.#connection.send(request) : this.#connection.once(request);
  }
}

class ThreadDriver implements Driver {
  readonly #connection: DbQueue;

  constructor(connection: DbQueue) {
    this.#connection = connection;
  }

  async init(): Promise<void> {}

  acquireConnection(): Promise<ThreadConnection> {
    return Promise.resolve(new ThreadConnection(this.#connection));
  }

  beginTransaction(connection: ThreadConnection): Promise<void> {
    return connection.begin();
  }

  commitTransaction(connection: ThreadConnection): Promise<void> {
    return connection.commit();
  }

  rollbackTransaction(connection: ThreadConnection): Promise<void> {
    return connection.rollback();
  }

  releaseConnection(connection: ThreadConnection): Promise<void> {
    connection.release();
    return Promise.resolve();
  }

  destroy(): Promise<void> {
    return this.#connection.close();
  }
}
