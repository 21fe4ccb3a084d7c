import type { Clock } from '../lib/runtime/clock.ts';
import { repeat } from '../lib/runtime/repeat.ts';
import type { Id } from '../model/id.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Store } from '../store/store.ts';

interface ReportSignalsOptions {
  store: Pick<Store, 'sandboxReports'>;
  clock: Clock;
}

/** How soon a node notices what another one has stored. */
const POLL_INTERVAL_MS = 1_000;
/** How far each poll looks back: a row has its time before other nodes can read it. */
const MARGIN_MS = 5_000;

/**
 * Wakes sessions and long polls of simulated vendors when there may be something new: at once if this node has stored
 * it, else by a poll. All of them share the poll, so it costs the same however many wait.
 */
export class ReportSignals {
  readonly #options: ReportSignalsOptions;
  readonly #waiting = new Map<Id, Set<() => void>>();
  #polling: { end(): void } | undefined;
  #polledAt: Millis = 0;
  isClosed = false;

  constructor(options: ReportSignalsOptions) {
    this.#options = options;
  }

  /** Calls `wake` when there may be something new for the integration, until the returned function is called. */
  watch(id: Id, wake: () => void): () => void {
    const { clock } = this.#options;
    const own = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, own.add(wake));
    if (!this.#polling && !this.isClosed) {
      this.#polledAt = clock.now();
      this.#polling = repeat(() => this.#poll(), POLL_INTERVAL_MS, clock);
    }
    return () => {
      own.delete(wake);
      if (own.size === 0 && this.#waiting.get(id) === own) this.#waiting.delete(id);
      if (this.#waiting.size === 0) this.#end();
    };
  }

  wake(id: Id): void {
    for (const wake of this.#waiting.get(id) ?? []) wake();
  }

  /** Wakes all that wait, so that they end. */
  close(): void {
    this.isClosed = true;
    this.#end();
    for (const id of this.#waiting.keys()) this.wake(id);
  }

  #end(): void {
    this.#polling?.end();
    this.#polling = undefined;
  }

  async #poll(): Promise<void> {
    const { store, clock } = this.#options;
    const began = clock.now();
    for (const id of await store.sandboxReports.activeSince(this.#polledAt - MARGIN_MS)) {
      this.wake(id);
    }
    this.#polledAt = began;
  }
}
