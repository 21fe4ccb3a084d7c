import { Sealer, generateRingKey } from '../../src/lib/seal.ts';
import type { Line } from '../../src/store/sqlite/connection.ts';
import { Database } from '../../src/store/sqlite/database.ts';
import { sqliteEngine } from '../../src/store/sqlite/engine.ts';
import { execute } from '../../src/store/sqlite/execute.ts';
import type { Request } from '../../src/store/sqlite/protocol.ts';
import { Store } from '../../src/store/store.ts';

/** A store in memory and in this thread: for tests that ask it a great many things. */
export async function openInlineStore(): Promise<Store> {
  const store = new Store(sqliteEngine(new InlineLine()), new Sealer([generateRingKey()]));
  await store.migrate();
  return store;
}

class InlineLine implements Line {
  readonly #db = new Database(':memory:');
  #held: Promise<void> | undefined;

  async hold(): Promise<() => void> {
    const before = this.#held;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    await before;
    return () => {
      if (this.#held === promise) this.#held = undefined;
      resolve();
    };
  }

  async send<Value>(request: Request): Promise<Value> {
    return execute(this.#db, request) as Value;
  }

  async once<Value>(request: Request): Promise<Value> {
    if (!this.#held) return this.send<Value>(request);
    const release = await this.hold();
    const answer = this.send<Value>(request);
    release();
    return answer;
  }

  close(): Promise<void> {
    return this.send({ kind: 'close' });
  }
}
