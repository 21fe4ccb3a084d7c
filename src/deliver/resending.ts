import type { Clock } from '../lib/runtime/clock.ts';
import type { Log } from '../lib/telemetry/log.ts';
import type { Id } from '../model/id.ts';
import type { Store } from '../store/store.ts';

/** Finds jobs of nodes that ended. A node starts its own jobs at once. */
const POLL_INTERVAL_MS = 5_000;
/** The pause between two rounds, which leaves the store to delivery for most of the time. */
const REST_MS = 50;
/** Jobs that a node works on at once; each gets one batch per round. */
const MAX_JOBS = 20;

export interface ResendingOptions {
  store: Store;
  clock: Clock;
  log: Log;
  /** This node's id. */
  node: string;
  /** Called for integrations that have messages to send. */
  wake(integrationId: Id): void;
}

/** Runs this node's resend jobs, in batches small enough not to delay other work. */
export class Resending {
  readonly #options: ResendingOptions;
  #cancel: (() => void) | undefined;
  #running: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: ResendingOptions) {
    this.#options = options;
  }

  /** Call also when a job may have been created. */
  start(): void {
    this.#schedule(0);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#running;
  }

  /** Runs one batch of each job; returns whether any job has more. */
  async #round(): Promise<boolean> {
    const { store, clock, node, wake } = this.#options;
    let hasMore = false;
    for (const job of await store.jobs.claim(node, MAX_JOBS, clock.now())) {
      if (this.#isStopped) return false;
      const batch = await store.jobs.runBatch(job, node, clock.now());
      for (const integrationId of batch.woken) wake(integrationId);
      hasMore ||= batch.hasMore;
    }
    return hasMore;
  }

  #schedule(delay: number): void {
    if (this.#running || this.#isStopped) return;
    this.#cancel?.();
    this.#cancel = this.#options.clock.after(delay, () => {
      this.#running = this.#round()
        .catch((error: unknown) => {
          this.#options.log.warn({ err: error }, 'resend job failed, retrying');
          return false;
        })
        .then((hasMore) => {
          this.#running = undefined;
          this.#schedule(hasMore ? REST_MS : POLL_INTERVAL_MS);
        });
    });
  }
}
