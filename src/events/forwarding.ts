import type { Clock } from '../lib/runtime/clock.ts';
import type { Log } from '../lib/telemetry/log.ts';
import { envelopeJson } from '../model/event.ts';
import type { Id } from '../model/id.ts';
import type { Store } from '../store/store.ts';

const CHECK_INTERVAL_MS = 1_000;
/** Maximum number of cached applications without an endpoint. */
const MAX_CACHED_APPLICATIONS = 100_000;
/** Applications per endpoint lookup. */
const MAX_PER_LOOKUP = 200;

interface ForwardingOptions {
  store: {
    endpoints: Pick<Store['endpoints'], 'listBehind' | 'filterWithEndpoint' | 'copyToQueue'>;
  };
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
  /** Applications known to have no endpoint, as most do. The periodic check finds new endpoints. */
  readonly #withoutEndpoint = new Set<Id>();
  /** Applications being looked up, without those that got an endpoint in the meantime. */
  #pending = new Set<Id>();
  #running: Promise<void> | undefined;
  #cancel: (() => void) | undefined;
  #isStopped = false;

  constructor(options: ForwardingOptions) {
    this.#options = options;
  }

  start(): void {
    void this.#check();
  }

  /** The feed of an application has new events, or its endpoint has received an event. */
  changed(applicationId: Id): void {
    if (this.#withoutEndpoint.has(applicationId)) return;
    this.#due.add(applicationId);
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#due.size > 0 && !this.#isStopped) this.changed([...this.#due][0] ?? 0);
    });
  }

  /** Like `changed`, for an application that has an endpoint, regardless of the cache. */
  changedFor(applicationId: Id): void {
    this.#withoutEndpoint.delete(applicationId);
    this.#pending.delete(applicationId);
    this.changed(applicationId);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#running;
  }

  /** Looks up many applications in one statement, because most have no endpoint. */
  async #run(): Promise<void> {
    const { store, log } = this.#options;
    while (this.#due.size > 0 && !this.#isStopped) {
      const batch = this.#due.values().take(MAX_PER_LOOKUP).toArray();
      for (const applicationId of batch) this.#due.delete(applicationId);
      this.#pending = new Set(batch);
      try {
        const withEndpoint = await store.endpoints.filterWithEndpoint(batch);
        for (const applicationId of batch) {
          if (this.#isStopped) return;
          if (withEndpoint.has(applicationId)) await this.#forward(applicationId);
          else this.#cacheWithout(applicationId);
        }
      } catch (error) {
        log.warn({ err: error }, 'endpoint lookup failed, retrying');
      }
    }
  }

  async #forward(applicationId: Id): Promise<void> {
    const { store, clock, log, baseUrl, wake } = this.#options;
    try {
      const integrationId = await store.endpoints.copyToQueue(
        applicationId,
        (event) => envelopeJson(event, baseUrl()),
        clock.now(),
      );
      if (integrationId !== undefined) wake(integrationId);
    } catch (error) {
      log.warn({ err: error, application_id: applicationId }, 'events not forwarded, retrying');
    }
  }

  /** Caches that the application has no endpoint. */
  #cacheWithout(applicationId: Id): void {
    if (!this.#pending.has(applicationId)) return;
    if (this.#withoutEndpoint.size >= MAX_CACHED_APPLICATIONS) this.#withoutEndpoint.clear();
    this.#withoutEndpoint.add(applicationId);
    // It may have been queued again since.
    this.#due.delete(applicationId);
  }

  /** Finds events that this node was not notified of: from other nodes, or from a process that ended. */
  async #check(): Promise<void> {
    const { store, clock, log } = this.#options;
    try {
      for (const applicationId of await store.endpoints.listBehind())
        this.changedFor(applicationId);
    } catch (error) {
      log.warn({ err: error }, 'store unavailable, retrying webhook check');
    }
    if (this.#isStopped) return;
    this.#cancel = clock.after(CHECK_INTERVAL_MS, () => void this.#check());
  }
}
