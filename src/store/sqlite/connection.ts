import type { Worker } from 'node:worker_threads';

import { startThread } from '../../lib/threads/worker-thread.ts';
import { StoreUnavailable, isDamaged } from '../faults.ts';
import { damage } from './damage.ts';
import { DbQueue } from './db-queue.ts';
import type { ThreadFailure, ThreadRequest, ThreadResponse } from './protocol.ts';

interface PendingRequest {
  resolve(value: unknown): void;
  reject(reason: Error): void;
}

/** The service's side of the connection to the database thread. */
export class Connection extends DbQueue {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PendingRequest>();
  #last = 0;
  #ended: Error | undefined;

  constructor(path: string, logLimitBytes: number) {
    super();
    const worker = new URL('./worker.ts', import.meta.url);
    this.#worker = startThread(worker, { path, logLimitBytes });
    this.#worker.on('message', (responses: ThreadResponse[]) => {
      for (const response of responses) this.#settle(response);
    });
    // If the database cannot be opened, report SQLite's error: the file may be damaged.
    this.#worker.on('error', (error: unknown) =>
      this.#end(isDamaged(error) ? damage(messageOf(error)) : threadFailed(error)),
    );
    this.#worker.on('exit', () => this.#end(new StoreUnavailable('the store is closed')));
  }

  send<Value>(request: ThreadRequest): Promise<Value> {
    if (this.#ended) return Promise.reject(this.#ended);
    const id = ++this.#last;
    return new Promise<Value>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, request });
    });
  }

  async close(): Promise<void> {
    if (this.#ended) return;
    const exited = new Promise((resolve) => this.#worker.once('exit', resolve));
    await this.once({ kind: 'close' });
    await exited;
  }

  #settle(response: ThreadResponse): void {
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

function revive({ message, code, errcode }: ThreadFailure): Error {
  return Object.assign(new Error(message), { code, errcode });
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function threadFailed(cause: unknown): StoreUnavailable {
  return new StoreUnavailable('the database thread failed', { cause });
}
