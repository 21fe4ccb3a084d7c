import type { Log } from '../lib/telemetry/log.ts';
import type { Store } from '../store/store.ts';
import type { Runner } from './runner.ts';

/** Integrations released at once; limited because other nodes reopen all their sessions. */
const MAX_AT_ONCE = 200;

export interface HandoffOptions {
  store: Store;
  log: Log;
  /** This node's id. */
  node: string;
  /** Whether messages are in flight for the integration, or may be without this node's knowledge. */
  isBusy(runner: Runner): boolean;
  endSession(runner: Runner): Promise<void>;
  released(runner: Runner): void;
}

/**
 * Releases integrations to other nodes, each once none of its messages is in flight. The next owner then finds every
 * message settled or queued, and the handoff causes no retries.
 */
export class Handoff {
  readonly #options: HandoffOptions;
  readonly #leaving = new Set<Runner>();
  #running: Promise<void> | undefined;

  constructor(options: HandoffOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Releases `count` in all, counting those already being released; idle ones first. */
  release(runners: Iterable<Runner>, count: number): void {
    const wanted = Math.min(count, MAX_AT_ONCE) - this.#leaving.size;
    if (wanted <= 0) return;
    const others = [...runners].filter((runner) => runner.isRecovered && !runner.isLeaving);
    const idleFirst = others.toSorted((a, b) => a.inFlight - b.inFlight);
    this.#begin(idleFirst.slice(0, wanted));
  }

  releaseAll(runners: Iterable<Runner>): void {
    this.#begin([...runners].filter((runner) => runner.isRecovered));
  }

  #begin(runners: readonly Runner[]): void {
    for (const runner of runners) {
      runner.isLeaving = true;
      this.#leaving.add(runner);
    }
    this.resume();
  }

  /** Call when an integration may have become idle. */
  resume(): void {
    if (this.#leaving.size === 0) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Call when the integration was lost before it could be released. */
  forget(runner: Runner): void {
    this.#leaving.delete(runner);
  }

  /** Never rejects: the next call retries what is left. */
  async #run(): Promise<void> {
    const { store, log, node, isBusy, endSession, released } = this.#options;
    try {
      const idle = [...this.#leaving].filter((runner) => !isBusy(runner)).slice(0, MAX_AT_ONCE);
      if (idle.length === 0) return;
      await Promise.all(idle.map((runner) => endSession(runner)));
      await store.ownerships.releaseIntegrations(node, idle);
      for (const runner of idle) {
        if (this.#leaving.delete(runner)) released(runner);
      }
    } catch (error) {
      log.warn({ err: error }, 'releasing integrations failed, retrying');
    }
  }
}
