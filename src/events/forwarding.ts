import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { envelopeJson } from '../model/event.ts';
import type { Id } from '../model/id.ts';
import type { Store } from '../store/store.ts';

const LOOK_EVERY = 1_000;

export interface ForwardingOptions {
  store: Store;
  clock: Clock;
  log: Log;
  /** Where the outside world reaches the service. */
  baseUrl(): string;
  /** Told of an endpoint that has something to send. */
  wake(integrationId: Id): void;
}

/**
 * Brings events forward from the feeds to the endpoints, a few at a time: however long an endpoint is away, its
 * events wait in the feed, and only there.
 */
export class Forwarding {
  readonly #options: ForwardingOptions;
  readonly #due = new Set<Id>();
  /** Applications that were found without an endpoint since it was last looked: most have none. */
  readonly #without = new Set<Id>();
  #underWay: Promise<void> | undefined;
  #callOff: (() => void) | undefined;
  #isStopped = false;

  constructor(options: ForwardingOptions) {
    this.#options = options;
  }

  start(): void {
    void this.#look();
  }

  /** The feed of an application has grown, or its endpoint has sent something. */
  changed(applicationId: Id): void {
    if (this.#without.has(applicationId)) return;
    this.#due.add(applicationId);
    this.#underWay ??= this.#run().finally(() => {
      this.#underWay = undefined;
      if (this.#due.size > 0 && !this.#isStopped) this.changed([...this.#due][0] ?? 0);
    });
  }

  /** The same, of an application that is known to have an endpoint, whatever was found before. */
  changedFor(applicationId: Id): void {
    this.#without.delete(applicationId);
    this.changed(applicationId);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#callOff?.();
    await this.#underWay;
  }

  async #run(): Promise<void> {
    const { store, clock, log, baseUrl, wake } = this.#options;
    for (const applicationId of this.#due) {
      if (this.#isStopped) return;
      this.#due.delete(applicationId);
      try {
        const brought = await store.endpoints.bringForward(
          applicationId,
          (event) => envelopeJson(event, baseUrl()),
          clock.now(),
        );
        if (!brought) this.#without.add(applicationId);
        else if (brought.isMore) wake(brought.integrationId);
      } catch (error) {
        log.warn(
          { err: error, application_id: applicationId },
          'events could not be brought forward',
        );
      }
    }
  }

  /** Finds what nobody said: what other nodes have told, and what was left when a process ended. */
  async #look(): Promise<void> {
    const { store, clock, log } = this.#options;
    this.#without.clear();
    try {
      for (const applicationId of await store.endpoints.behind()) this.changed(applicationId);
    } catch (error) {
      log.warn({ err: error }, 'endpoints could not be looked at; it is tried again');
    }
    if (this.#isStopped) return;
    this.#callOff = clock.after(LOOK_EVERY, () => void this.#look());
  }
}
