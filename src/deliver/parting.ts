import type { Log } from '../lib/log.ts';
import type { Store } from '../store/store.ts';
import type { Runner } from './runner.ts';

/** How many integrations are let go of at once: their sessions are all opened anew elsewhere. */
const AT_ONCE = 200;

export interface PartingOptions {
  store: Store;
  log: Log;
  /** The name of this node. */
  node: string;
  /** Whether something is under way for it, or may be without this node knowing. */
  isBusy(runner: Runner): boolean;
  /** Ends what listens for it. */
  endSession(runner: Runner): Promise<void>;
  /** Told that nobody owns it any more. */
  parted(runner: Runner): void;
}

/**
 * Lets go of integrations that others are to own, each when nothing is under way for it any more: so whoever
 * takes it finds every message settled or queued, and none is tried again for that.
 */
export class Parting {
  readonly #options: PartingOptions;
  readonly #leaving = new Set<Runner>();
  #underWay: Promise<void> | undefined;

  constructor(options: PartingOptions) {
    this.#options = options;
  }

  /** Whether something is being let go of just now. */
  get isUnderWay(): boolean {
    return this.#underWay !== undefined;
  }

  /** Lets go of so many in all, of those that wait for nothing first. */
  give(runners: Iterable<Runner>, count: number): void {
    const wanted = Math.min(count, AT_ONCE) - this.#leaving.size;
    if (wanted <= 0) return;
    const others = [...runners].filter((runner) => runner.isRecovered && !runner.isLeaving);
    const idleFirst = others.toSorted((a, b) => a.underWay - b.underWay);
    this.#begin(idleFirst.slice(0, wanted));
  }

  /** Lets go of all of them. */
  giveAll(runners: Iterable<Runner>): void {
    this.#begin([...runners].filter((runner) => runner.isRecovered));
  }

  #begin(runners: readonly Runner[]): void {
    for (const runner of runners) {
      runner.isLeaving = true;
      this.#leaving.add(runner);
    }
    this.goOn();
  }

  /** Something has ended, or time has passed. */
  goOn(): void {
    if (this.#leaving.size === 0) return;
    this.#underWay ??= this.#run().finally(() => {
      this.#underWay = undefined;
    });
  }

  /** It was lost before it could be let go of. */
  forget(runner: Runner): void {
    this.#leaving.delete(runner);
  }

  /** Never rejects: what is left is tried again. */
  async #run(): Promise<void> {
    const { store, log, node, isBusy, endSession, parted } = this.#options;
    try {
      const idle = [...this.#leaving].filter((runner) => !isBusy(runner)).slice(0, AT_ONCE);
      if (idle.length === 0) return;
      await Promise.all(idle.map((runner) => endSession(runner)));
      await store.ownerships.letGo(node, idle);
      for (const runner of idle) {
        if (this.#leaving.delete(runner)) parted(runner);
      }
    } catch (error) {
      log.warn({ err: error }, 'integrations could not be let go of; it is tried again');
    }
  }
}
