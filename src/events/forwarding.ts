import type { Clock } from '../lib/runtime/clock.ts';
import type { Log } from '../lib/telemetry/log.ts';
import { envelopeJson } from '../model/event.ts';
import type { Id } from '../model/id.ts';
import type { Store } from '../store/store.ts';

const LOOK_EVERY = 1_000;
/** Maximum number of cached applications without an endpoint. */
const REMEMBERED = 100_000;
/** Of how many applications one statement asks whether they have one. */
const ASKED_AT_ONCE = 200;

export interface ForwardingOptions {
  store: Store;
  clock: Clock;
  log: Log;
  /** Public base URL of the service. */
  baseUrl(): string;
  /** Called for an endpoint with queued events. */
  wake(integrationId: Id): void;
}

/**
 * Forwards events from the feeds to the endpoints, a few at a time: while an endpoint is down, its events wait
 * in the feed only.
 */
export class Forwarding {
  readonly #options: ForwardingOptions;
  readonly #due = new Set<Id>();
  /** Applications known to have no endpoint, which are most. The periodic check finds new endpoints. */
  readonly #without = new Set<Id>();
  /** The applications being looked up, except those that got an endpoint meanwhile. */
  #asked = new Set<Id>();
  #running: Promise<void> | undefined;
  #cancel: (() => void) | undefined;
  #isStopped = false;

  constructor(options: ForwardingOptions) {
    this.#options = options;
  }

  start(): void {
    void this.#look();
  }

  /** The feed of an application has grown, or its endpoint has received an event. */
  changed(applicationId: Id): void {
    if (this.#without.has(applicationId)) return;
    this.#due.add(applicationId);
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#due.size > 0 && !this.#isStopped) this.changed([...this.#due][0] ?? 0);
    });
  }

  /** Like `changed`, for an application that has an endpoint, regardless of the cache. */
  changedFor(applicationId: Id): void {
    this.#without.delete(applicationId);
    this.#asked.delete(applicationId);
    this.changed(applicationId);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#running;
  }

  /** Most applications have no endpoint, so one statement asks that of many. */
  async #run(): Promise<void> {
    const { store, log } = this.#options;
    while (this.#due.size > 0 && !this.#isStopped) {
      const some = this.#due.values().take(ASKED_AT_ONCE).toArray();
      for (const applicationId of some) this.#due.delete(applicationId);
      this.#asked = new Set(some);
      try {
        const having = await store.endpoints.among(some);
        for (const applicationId of some) {
          if (this.#isStopped) return;
          if (having.has(applicationId)) await this.#bring(applicationId);
          else this.#leave(applicationId);
        }
      } catch (error) {
        log.warn({ err: error }, 'endpoint lookup failed, retrying');
      }
    }
  }

  async #bring(applicationId: Id): Promise<void> {
    const { store, clock, log, baseUrl, wake } = this.#options;
    try {
      const brought = await store.endpoints.bringForward(
        applicationId,
        (event) => envelopeJson(event, baseUrl()),
        clock.now(),
      );
      if (brought?.isMore) wake(brought.integrationId);
    } catch (error) {
      log.warn({ err: error, application_id: applicationId }, 'events not forwarded, retrying');
    }
  }

  /** The application has no endpoint. */
  #leave(applicationId: Id): void {
    if (!this.#asked.has(applicationId)) return;
    if (this.#without.size >= REMEMBERED) this.#without.clear();
    this.#without.add(applicationId);
    // Its feed may have grown meanwhile.
    this.#due.delete(applicationId);
  }

  /** Finds events without a notification: from other nodes, or left by a process that ended. */
  async #look(): Promise<void> {
    const { store, clock, log } = this.#options;
    try {
      for (const applicationId of await store.endpoints.behind()) this.changedFor(applicationId);
    } catch (error) {
      log.warn({ err: error }, 'store unavailable, retrying webhook check');
    }
    if (this.#isStopped) return;
    this.#cancel = clock.after(LOOK_EVERY, () => void this.#look());
  }
}
