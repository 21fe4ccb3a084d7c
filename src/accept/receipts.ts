import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Id } from '../model/id.ts';
import type { Moved } from '../store/receipts.ts';
import type { Store } from '../store/store.ts';

const BITE = 200;

/** Moves messages on by what channels report, soon after the report and the message have come together. */
export class Receipts {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #told: (applicationId: Id) => void;
  readonly #moved: (message: Moved) => void;
  #underWay: Promise<void> | undefined;
  #again = false;

  /** `told` hears of each application whose feed has grown, and `moved` of each message that was reported of. */
  constructor(
    store: Store,
    clock: Clock,
    log: Log,
    told: (applicationId: Id) => void,
    moved: (message: Moved) => void,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#told = told;
    this.#moved = moved;
  }

  /** Something was reported, or something was sent of which there may be a report. */
  wake(): void {
    if (this.#underWay) this.#again = true;
    this.#underWay ??= this.apply()
      .catch((error: unknown) => {
        // What is left is found by whoever looks for it from time to time.
        this.#log.warn({ err: error }, 'reports of channels could not be applied');
      })
      .finally(() => {
        this.#underWay = undefined;
        if (this.#again) this.wake();
      });
  }

  async apply(): Promise<void> {
    this.#again = false;
    for (let seen = BITE; seen === BITE;) {
      const applied = await this.#store.receipts.apply(BITE, this.#clock.now());
      for (const message of applied.moved) this.#moved(message);
      for (const applicationId of new Set(applied.moved.map((message) => message.applicationId))) {
        this.#told(applicationId);
      }
      seen = applied.seen;
    }
  }

  async stop(): Promise<void> {
    await this.#underWay;
  }
}
