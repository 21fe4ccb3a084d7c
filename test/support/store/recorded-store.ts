import { Sealer, generateRingKey } from '../../../src/lib/crypto/seal.ts';
import { Database } from '../../../src/store/sqlite/database.ts';
import { DbQueue } from '../../../src/store/sqlite/db-queue.ts';
import { sqliteEngine } from '../../../src/store/sqlite/engine.ts';
import { execute } from '../../../src/store/sqlite/execute.ts';
import type { ThreadRequest } from '../../../src/store/sqlite/protocol.ts';
import { Store } from '../../../src/store/store.ts';

/** An embedded store in this thread that records each statement it prepares. */
export async function openRecordedStore(
  path = ':memory:',
): Promise<{ store: Store; statements: Set<string>; database: Database }> {
  const statements = new Set<string>();
  const database = new RecordingDatabase(path, statements);
  const store = new Store(
    sqliteEngine(new RecordingLine(database)),
    new Sealer([generateRingKey()]),
  );
  await store.migrate();
  statements.clear();
  return { store, statements, database };
}

class RecordingDatabase extends Database {
  readonly #statements: Set<string>;

  constructor(path: string, statements: Set<string>) {
    super(path);
    this.#statements = statements;
  }

  override prepare(sql: string): ReturnType<Database['prepare']> {
    this.#statements?.add(sql);
    return super.prepare(sql);
  }
}

class RecordingLine extends DbQueue {
  readonly #db: Database;

  constructor(db: Database) {
    super();
    this.#db = db;
  }

  async send<Value>(request: ThreadRequest): Promise<Value> {
    return execute(this.#db, request) as Value;
  }

  close(): Promise<void> {
    return this.send({ kind: 'close' });
  }
}
