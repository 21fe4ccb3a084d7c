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

import type { Line } from './line.ts';
import type { Row } from './protocol.ts';

/** Lets Kysely speak to the thread that owns the database. */
export class SqliteThreadDialect implements Dialect {
  readonly #connection: Line;

  constructor(connection: Line) {
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
 * Migrations run in one transaction, and so alone: two processes that start at once do not both migrate,
 * and one that dies half-way leaves nothing half done.
 */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** What Kysely runs one query or one transaction on. Only a transaction has the database alone. */
class ThreadConnection implements DatabaseConnection {
  readonly #connection: Line;
  #release: (() => void) | undefined;

  constructor(connection: Line) {
    this.#connection = connection;
  }

  async executeQuery<R>(compiled: CompiledQuery): Promise<QueryResult<R>> {
    const parameters = compiled.parameters as SQLInputValue[];
    const { rows, changes } = await this.#run(compiled.sql, parameters);
    return { rows: rows as R[], numAffectedRows: BigInt(changes) };
  }

  // oxlint-disable-next-line require-yield, typescript/require-await -- Kysely asks for it; nothing of ours streams
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('the embedded store does not stream');
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
  readonly #connection: Line;

  constructor(connection: Line) {
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
