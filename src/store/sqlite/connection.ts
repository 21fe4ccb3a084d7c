import { Worker } from 'node:worker_threads';

import { StoreUnavailable } from '../faults.ts';
import type { Failure, Request, Response } from './protocol.ts';

interface Waiting {
  resolve(value: unknown): void;
  reject(reason: Error): void;
}

/** The service's end of the line to the thread that owns the database. */
export class Connection {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #ended: Error | undefined;
  /** Resolves when whoever holds the database lets go of it. */
  #held: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: { path } });
    this.#worker.on('message', (response: Response) => this.#settle(response));
    this.#worker.on('error', (error: unknown) => this.#end(toError(error)));
    this.#worker.on('exit', () => this.#end(new StoreUnavailable('the store is closed')));
  }

  /** Takes the database for one user alone; everyone else waits until it is let go. */
  async hold(): Promise<() => void> {
    const before = this.#held;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    await before;
    return resolve;
  }

  /** Sends a request. Only for whoever holds the database. */
  send<Value>(request: Request): Promise<Value> {
    if (this.#ended) return Promise.reject(this.#ended);
    const id = ++this.#last;
    return new Promise<Value>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, request });
    });
  }

  /** Holds the database for one request. */
  async once<Value>(request: Request): Promise<Value> {
    const release = await this.hold();
    try {
      return await this.send<Value>(request);
    } finally {
      release();
    }
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

function revive({ message, code, errcode }: Failure): Error {
  return Object.assign(new Error(message), { code, errcode });
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
