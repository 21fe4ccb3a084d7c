import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Id } from '../model/id.ts';
import type { Store } from '../store/store.ts';

const EVERY = 1_000;
/** Between two bites, so that what is sent meanwhile has the store for most of the time. */
const REST = 50;
/** How many jobs a node is at work on at once; each has a bite in turn. */
const AT_ONCE = 20;

export interface ResendingOptions {
  store: Store;
  clock: Clock;
  log: Log;
  /** The name of this node. */
  node: string;
  /** Told of integrations that have something to send. */
  wake(integrationId: Id): void;
}

/** Sends messages again by the many, in bites that hold nobody up, for the jobs that are this node's. */
export class Resending {
  readonly #options: ResendingOptions;
  #callOff: (() => void) | undefined;
  #underWay: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: ResendingOptions) {
    this.#options = options;
  }

  /** There may be a job to begin. */
  start(): void {
    this.#schedule(0);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#callOff?.();
    await this.#underWay;
  }

  /** One bite of each job; answers whether there is more of any. */
  async #round(): Promise<boolean> {
    const { store, clock, node, wake } = this.#options;
    let isAny = false;
    for (const job of await store.jobs.claim(node, AT_ONCE, clock.now())) {
      if (this.#isStopped) return false;
      const { isMore, woken } = await store.jobs.goOn(job, node, clock.now());
      for (const integrationId of woken) wake(integrationId);
      if (isMore) isAny = true;
    }
    return isAny;
  }

  #schedule(delay: number): void {
    if (this.#underWay || this.#isStopped) return;
    this.#callOff?.();
    this.#callOff = this.#options.clock.after(delay, () => {
      this.#underWay = this.#round()
        .catch((error: unknown) => {
          this.#options.log.warn({ err: error }, 'a job could not go on; it is tried again');
          return false;
        })
        .then((isMore) => {
          this.#underWay = undefined;
          this.#schedule(isMore ? REST : EVERY);
        });
    });
  }
}
