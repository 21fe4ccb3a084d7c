import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Purge } from '../store/schema.ts';
import type { Store } from '../store/store.ts';

const EVERY = 1_000;
const BITE = 1_000;
const IDEMPOTENCY_LIFETIME = 24 * 60 * 60 * 1000;

/**
 * How long after a deletion its purge goes on looking for messages: another node may still accept some
 * for as long as it has not noticed.
 */
const PURGE_GRACE = 60_000;

/** Clears away in the background what nobody needs any more, in bites that hold nobody up. */
export class Sweeper {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> = Promise.resolve();

  constructor(store: Store, clock: Clock, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  start(): void {
    this.#schedule(EVERY);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#underWay;
  }

  /** One round; answers whether there is more of it to be done at once. */
  async sweep(): Promise<boolean> {
    const now = this.#clock.now();
    await this.#store.keys.deleteExpired(now);
    await this.#store.users.deleteExpiredLinks(now);
    const forgotten = await this.#store.idempotency.deleteOlder(now - IDEMPOTENCY_LIFETIME, BITE);
    let more = forgotten === BITE;
    for (const purge of await this.#store.purges.list()) {
      if (await this.#purge(purge, now)) more = true;
    }
    return more;
  }

  async #purge(purge: Purge, now: number): Promise<boolean> {
    const { purges } = this.#store;
    const cleared =
      purge.kind === 'application'
        ? await purges.deleteMessages(purge.applicationId, BITE)
        : await purges.cancelMessages(purge, BITE, now);
    if (cleared < BITE && purge.createdAt + PURGE_GRACE < now) await purges.finish(purge);
    return cleared === BITE;
  }

  #schedule(delay: number): void {
    this.#timer = setTimeout(() => {
      this.#underWay = this.sweep().then(
        (more) => this.#again(more ? 0 : EVERY),
        (error: unknown) => {
          this.#log.warn({ err: error }, 'sweeping failed; it is tried again');
          this.#again(EVERY);
        },
      );
    }, delay).unref();
  }

  #again(delay: number): void {
    if (this.#timer !== undefined) this.#schedule(delay);
  }
}
