import type { Clock } from '../../lib/runtime/clock.ts';
import type { Log } from '../../lib/telemetry/log.ts';
import type { Id } from '../../model/id.ts';
import type { Message } from '../../model/message.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { AddressChange } from '../../store/messages/schedule.ts';
import type { ReleaseResult } from '../../store/routes/release.ts';
import type { Store } from '../../store/store.ts';

/** One index lookup each time, if nothing is due. */
const INTERVAL_MS = 1_000;
/** Messages per transaction. */
const BATCH_SIZE = 500;
/** Messages with due routes per lookup; each is decided in its own transaction. */
const ROUTES_BATCH_SIZE = 100;
/** Lanes of former addresses per run. */
const MOVES_BATCH_SIZE = 100;

export interface ReleaseOptions {
  store: Store;
  clock: Clock;
  log: Log;
  /** Called for each integration with released messages. */
  wake(integrationId: Id): void;
  /** Called for each message that is settled by the schedule, not by an attempt. */
  ended(message: { applicationId: Id; integrationId: Id }, state: Ended): void;
  /** Chooses the address of a message to a contact again. */
  chooseAgain(message: Message): Promise<AddressChange>;
  /** Called for each application with a new event. */
  feedChanged(applicationId: Id): void;
}

type Ended = 'sent' | 'failed' | 'expired' | 'suppressed';

/**
 * Moves scheduled messages to their lanes when they are due, and checks messages whose routes are due. Every delivering
 * node does so, with different messages.
 */
export class Release {
  readonly #options: ReleaseOptions;
  #running: Promise<void> | undefined;
  #cancel: (() => void) | undefined;
  #isStopping = false;
  #isPoked = false;

  constructor(options: ReleaseOptions) {
    this.#options = options;
  }

  /** Whether messages are being released. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  start(): void {
    if (this.#isStopping) return;
    this.#running = this.#release().finally(() => {
      this.#running = undefined;
      if (this.#isStopping) return;
      if (this.#isPoked) this.start();
      else this.#cancel = this.#options.clock.after(INTERVAL_MS, () => this.start());
    });
  }

  /** Call when a message has left its route: the next one starts at once. */
  poke(): void {
    this.#isPoked = true;
    if (this.#running || this.#isStopping) return;
    this.#cancel?.();
    this.start();
  }

  async stop(): Promise<void> {
    this.abandon();
    await this.#running;
  }

  /** Stops without waiting for the current batch. */
  abandon(): void {
    this.#isStopping = true;
    this.#cancel?.();
  }

  /** Never rejects: the next run retries. */
  async #release(): Promise<void> {
    const { store, clock, log, wake } = this.#options;
    this.#isPoked = false;
    try {
      for (const { integrationId } of await store.addressMoves.run(clock.now(), MOVES_BATCH_SIZE)) {
        wake(integrationId);
      }
      await this.#checkRoutes();
      for (let isFull = true; isFull && !this.#isStopping;) {
        const now = clock.now();
        await this.#chooseAddresses(now);
        const result = await store.schedule.release(now, BATCH_SIZE);
        this.#report(result);
        ({ isFull } = result);
      }
    } catch (error) {
      log.warn({ err: error }, 'releasing scheduled messages failed, retrying');
    }
  }

  #report({ released, deferred, refused, ended }: ReleaseResult): void {
    const { wake, feedChanged } = this.#options;
    for (const id of new Set(released.map(({ integrationId }) => integrationId))) wake(id);
    for (const message of refused) this.#options.ended(message, 'failed');
    for (const { state, ...message } of ended) {
      if (state !== 'settled') this.#options.ended(message, state);
    }
    const routed = released.filter(({ route }) => route !== null);
    const changed = [...deferred, ...refused, ...ended, ...routed];
    for (const id of new Set(changed.map(({ applicationId }) => applicationId))) feedChanged(id);
  }

  /** The addresses of contacts may have changed since the messages were scheduled. */
  async #chooseAddresses(now: Millis): Promise<void> {
    const { store, chooseAgain, ended, feedChanged } = this.#options;
    for (const message of await store.schedule.withOutdatedAddress(now, BATCH_SIZE)) {
      const hasFailed = await store.schedule.changeAddress(
        message,
        await chooseAgain(message),
        now,
      );
      if (!hasFailed) continue;
      ended(message, 'failed');
      feedChanged(message.applicationId);
    }
  }

  /** Messages that move to their next route become scheduled, and are released right after. */
  async #checkRoutes(): Promise<void> {
    const { store, clock, wake, feedChanged } = this.#options;
    for (let isFull = true; isFull && !this.#isStopping;) {
      const checked = await store.routes.run(clock.now(), ROUTES_BATCH_SIZE);
      for (const { applicationId, integrationId, step, moved } of checked) {
        if (moved) this.#report(moved);
        if (integrationId !== undefined) wake(integrationId);
        if (step === 'adopt') feedChanged(applicationId);
      }
      isFull = checked.length === ROUTES_BATCH_SIZE;
    }
  }
}
