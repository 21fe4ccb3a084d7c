import { type Worker, parentPort } from 'node:worker_threads';

import { type Cancel, systemClock } from '../runtime/clock.ts';
import { startThread } from './worker-thread.ts';

/*
 * Processes untrusted input in a thread with limits on time and memory, so that hostile input can only end that
 * thread.
 */

/** `failed`: the work threw an exception. All others ended the thread. */
type IsolationFault = 'timeout' | 'memory' | 'crash' | 'failed';

export class IsolationError extends Error {
  override name = 'IsolationError';
  readonly fault: IsolationFault;

  constructor(fault: IsolationFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

interface IsolationLimits {
  /** For one request, from when the thread starts on it; the start of the thread does not count. */
  timeoutMs: number;
  heapMb: number;
}

/** An idle thread ends after this time. */
const IDLE_MS = 30_000;
const YOUNG_HEAP_MB = 16;

type Reply<Answer> = { answer: Answer } | { failure: string };
type FromThread<Answer> = Reply<Answer> | 'ready';

/** A thread that processes one request at a time. It starts on demand and ends when idle. */
export class IsolatedThread<Request, Answer> {
  readonly #entry: URL;
  readonly #limits: IsolationLimits;
  #worker: Worker | undefined;
  #isReady = false;
  #current:
    | {
        resolve(reply: Reply<Answer>): void;
        reject(error: IsolationError): void;
        startTimer(): void;
      }
    | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(entry: URL, limits: IsolationLimits) {
    this.#entry = entry;
    this.#limits = limits;
  }

  async run(request: Request): Promise<Answer> {
    this.#waiting++;
    clearTimeout(this.#idle);
    const answer = this.#last.then(() => this.#work(request));
    this.#last = answer.catch(() => {});
    try {
      return await answer;
    } finally {
      if (--this.#waiting === 0) this.#rest();
    }
  }

  async #work(request: Request): Promise<Answer> {
    const { timeoutMs } = this.#limits;
    const { promise, resolve, reject } = Promise.withResolvers<Reply<Answer>>();
    const worker = (this.#worker ??= this.#start());
    let cancel: Cancel | undefined;
    const startTimer = () => {
      const message = `no response within ${timeoutMs} ms`;
      cancel = systemClock.after(timeoutMs, () => this.#end(worker, 'timeout', message));
    };
    this.#current = { resolve, reject, startTimer };
    if (this.#isReady) startTimer();
    worker.ref();
    worker.postMessage(request);
    try {
      const reply = await promise;
      if ('failure' in reply) throw new IsolationError('failed', reply.failure);
      return reply.answer;
    } finally {
      cancel?.();
    }
  }

  #start(): Worker {
    const { heapMb } = this.#limits;
    const resourceLimits = {
      maxOldGenerationSizeMb: heapMb,
      maxYoungGenerationSizeMb: YOUNG_HEAP_MB,
    };
    const worker = startThread(this.#entry, {}, { resourceLimits });
    this.#isReady = false;
    worker.on('message', (message: FromThread<Answer>) => {
      if (worker !== this.#worker) return;
      if (message !== 'ready') return this.#current?.resolve(message);
      this.#isReady = true;
      this.#current?.startTimer();
    });
    worker.on('error', (error: Error & { code?: string }) => {
      const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      this.#end(worker, isMemory ? 'memory' : 'crash', error.message);
    });
    worker.on('exit', () => this.#end(worker, 'crash', 'the thread exited'));
    return worker;
  }

  /** Ignores a thread that was already replaced. */
  #end(worker: Worker, fault: IsolationFault, message: string): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    void worker.terminate();
    this.#current?.reject(new IsolationError(fault, message));
  }

  #rest(): void {
    this.#worker?.unref();
    this.#idle = setTimeout(() => {
      const worker = this.#worker;
      this.#worker = undefined;
      void worker?.terminate();
    }, IDLE_MS).unref();
  }
}

/** The work of a thread; the caller of `run` defines the request type. */
interface IsolatedWork {
  answer(request: unknown): unknown;
}

/** The thread's side: answers requests in order. */
export function serveIsolated(work: IsolatedWork): void {
  const port = parentPort;
  if (!port) throw new Error('this module must run in a worker thread');
  port.on('message', (request: unknown) => {
    Promise.resolve()
      .then(() => work.answer(request))
      .then(
        (answer) => port.postMessage({ answer }),
        (error: unknown) =>
          port.postMessage({ failure: error instanceof Error ? error.message : String(error) }),
      );
  });
  port.postMessage('ready');
}
