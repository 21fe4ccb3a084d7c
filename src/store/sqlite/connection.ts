import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';

import { StoreUnavailable } from '../faults.ts';
import { Line } from './line.ts';
import type { Failure, Request, Response } from './protocol.ts';

interface Waiting {
  resolve(value: unknown): void;
  reject(reason: Error): void;
}

/** The service's end of the line to the thread that owns the database. */
export class Connection extends Line {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #ended: Error | undefined;

  constructor(path: string) {
    super();
    this.#worker = new Worker(new URL('./thread.js', import.meta.url), {
      workerData: { path, compileCache: cacheAbove(getCompileCacheDir()) },
    });
    this.#worker.on('message', (responses: Response[]) => {
      for (const response of responses) this.#settle(response);
    });
    this.#worker.on('error', (error: unknown) => this.#end(threadFailed(error)));
    this.#worker.on('exit', () => this.#end(new StoreUnavailable('the store is closed')));
  }

  send<Value>(request: Request): Promise<Value> {
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
