import { Sealer, generateRingKey } from '../../../src/lib/crypto/seal.ts';
import { Database } from '../../../src/store/sqlite/database.ts';
import { DbQueue } from '../../../src/store/sqlite/db-queue.ts';
import { sqliteEngine } from '../../../src/store/sqlite/engine.ts';
import { execute } from '../../../src/store/sqlite/execute.ts';
import type { ThreadRequest } from '../../../src/store/sqlite/protocol.ts';
import { Store } from '../../../src/store/store.ts';

/** A store in memory and in this thread, for tests that make very many calls. */
export async function openInlineStore(): Promise<Store> {
  const store = new Store(sqliteEngine(new InlineLine()), new Sealer([generateRingKey()]));
  await store.migrate();
  return store;
}

/** Runs requests on a database in this thread. */
export class InlineLine extends DbQueue {
  readonly #db: Database;

  constructor(database = new Database(':memory:')) {
    super();
    this.#db = database;
  }

  async send<Value>(request: ThreadRequest): Promise<Value> {
    return execute(this.#db, request) as Value;
  }

  close(): Promise<void> {
    return this.send({ kind: 'close' });
  }
}
