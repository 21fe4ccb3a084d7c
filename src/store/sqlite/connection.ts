import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';

import { StoreUnavailable } from '../faults.ts';
import type { Failure, Request, Response } from './protocol.ts';

interface Waiting {
  resolve(value: unknown): void;
  reject(reason: Error): void;
}

/** A line to the database. */
export interface Line {
  /**
   * Takes the database for one transaction alone; everyone else waits until it is let go. What was sent
   * before is done before, since requests are taken in order.
   */
  hold(): Promise<() => void>;
  /** Sends a request at once. Only for whoever holds the database, or when nobody does. */
  send<Value>(request: Request): Promise<Value>;
  /** Sends a request that stands alone, as soon as no transaction has the database. */
  once<Value>(request: Request): Promise<Value>;
  close(): Promise<void>;
}

/** The service's end of the line to the thread that owns the database. */
export class Connection implements Line {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #ended: Error | undefined;
  /** While a transaction has the database: resolves when the last one that waits for it is done. */
  #held: Promise<void> | undefined;

  constructor(path: string) {
    this.#worker = new Worker(new URL('./thread.js', import.meta.url), {
      workerData: { path, compileCache: cacheAbove(getCompileCacheDir()) },
    });
    this.#worker.on('message', (response: Response) => this.#settle(response));
    this.#worker.on('error', (error: unknown) => this.#end(threadFailed(error)));
    this.#worker.on('exit', () => this.#end(new StoreUnavailable('the store is closed')));
  }

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

  send<Value>(request: Request): Promise<Value> {
    if (this.#ended) return Promise.reject(this.#ended);
    const id = ++this.#last;
    return new Promise<Value>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, request });
    });
  }

  async once<Value>(request: Request): Promise<Value> {
    if (!this.#held) return this.send<Value>(request);
    const release = await this.hold();
    // Sent is enough: whoever comes next is behind it in the line.
    const answer = this.send<Value>(request);
    release();
    return answer;
  }

  async close(): Promise<void> {
    if (this.#ended) return;
    const exited = new Promise((resolve) => this.#worker.once('exit', resolve));
    await this.once({ kind: 'close' });
    await exited;
  }

  #settle(response: Response): void {
    const waiting = this.#waiting.get(response.id);
    this.#waiting.delete(response.id);
    if ('failure' in response) waiting?.reject(revive(response.failure));
    else waiting?.resolve(response.value);
  }

  #end(reason: Error): void {
    this.#ended ??= reason;
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }
}

/** Node names the folder for its own version, below the one it was told of. */
function cacheAbove(folder: string | undefined): string | undefined {
  return folder && dirname(folder);
}

function revive({ message, code, errcode }: Failure): Error {
  return Object.assign(new Error(message), { code, errcode });
}

function threadFailed(cause: unknown): StoreUnavailable {
  return new StoreUnavailable('the thread of the store has failed', { cause });
}
