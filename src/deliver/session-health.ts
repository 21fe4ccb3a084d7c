import type { Failure } from '../channels/channel.ts';
import type { Clock } from '../lib/runtime/clock.ts';
import type { Log } from '../lib/telemetry/log.ts';
import type { Store } from '../store/store.ts';
import type { Runner } from './runner.ts';

/** A session counts as successful when it lasts this long, so that a server that drops every session keeps failing. */
const SUCCESS_AFTER_MS = 10_000;

export interface SessionHealthOptions {
  store: Store;
  clock: Clock;
  log: Log;
}

/** Records whether one live session of an integration succeeds. If the store is unavailable, this session or the next one records it later. */
export class SessionHealth {
  readonly #options: SessionHealthOptions;
  readonly #runner: Runner;
  #cancel: (() => void) | undefined;
  #isOver = false;
  #lasts = false;
  #hasStoreFault = false;

  constructor(options: SessionHealthOptions, runner: Runner) {
    this.#options = options;
    this.#runner = runner;
  }

  /** The channel has a session. */
  connected(): void {
    this.#schedule(SUCCESS_AFTER_MS, () => this.#options.clock.now());
  }

  /** The integration has no server to receive from, so it cannot fail. */
  notConfigured(): void {
    this.#schedule(0, () => null);
  }

  /** Storing an event failed, which is not the channel's fault. */
  storeFailed(): void {
    this.#hasStoreFault = true;
  }

  /** The session ended by an abort. */
  abort(): void {
    this.#isOver = true;
    this.#cancel?.();
  }

  /** The session ended by itself. A session that lasted may end, unless the next one cannot succeed. */
  async ended(failure: Failure | undefined, detail = 'the session ended'): Promise<void> {
    this.abort();
    const isPermanent = failure?.outcome === 'permanent';
    if (this.#hasStoreFault || failure?.outcome === 'limited' || (this.#lasts && !isPermanent))
      return;
    const isRefused = isPermanent && failure.blame === 'credentials';
    const reason = isRefused ? 'credentials' : 'transient';
    const { store, clock } = this.#options;
    await this.#record(() =>
      store.health.sessionFailed(
        this.#runner,
        { reason, detail, isLasting: isPermanent },
        clock.now(),
      ),
    );
  }

  #schedule(milliseconds: number, connectedAt: () => number | null): void {
    if (this.#isOver || this.#cancel) return;
    const { store, clock } = this.#options;
    this.#cancel = clock.after(milliseconds, () => {
      this.#lasts = true;
      void this.#record(() =>
        store.health.sessionLasts(this.#runner, connectedAt(), clock.now()),
      ).then((isRecorded) => {
        this.#cancel = undefined;
        if (!isRecorded) this.#schedule(SUCCESS_AFTER_MS, connectedAt);
      });
    });
  }

  async #record(write: () => Promise<void>): Promise<boolean> {
    try {
      await write();
      return true;
    } catch (error) {
      const { integrationId } = this.#runner;
      const { log } = this.#options;
      log.warn({ err: error, integration_id: integrationId }, 'session health not recorded');
      return false;
    }
  }
}
