import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { envelopeJson } from '../model/event.ts';
import type { Id } from '../model/id.ts';
import type { Store } from '../store/store.ts';

const LOOK_EVERY = 1_000;
/** Of how many applications it is remembered that they have no endpoint. */
const REMEMBERED = 100_000;

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
  /** Applications that were found without an endpoint: most have none. Who gets one is found behind. */
  readonly #without = new Set<Id>();
  /** The one of which it is asked just now, unless it was said meanwhile that it has one. */
  #asked: Id | undefined;
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
    if (this.#asked === applicationId) this.#asked = undefined;
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
      this.#asked = applicationId;
      try {
        const brought = await store.endpoints.bringForward(
          applicationId,
          (event) => envelopeJson(event, baseUrl()),
          clock.now(),
        );
        if (!brought) this.#leave(applicationId);
        else if (brought.isMore) wake(brought.integrationId);
      } catch (error) {
        log.warn(
          { err: error, application_id: applicationId },
          'events could not be brought forward',
        );
      }
    }
  }

  /** It has no endpoint. */
  #leave(applicationId: Id): void {
    if (this.#asked !== applicationId) return;
    if (this.#without.size >= REMEMBERED) this.#without.clear();
    this.#without.add(applicationId);
    // Its feed may have grown meanwhile.
    this.#due.delete(applicationId);
  }

  /** Finds what nobody said: what other nodes have told, and what was left when a process ended. */
  async #look(): Promise<void> {
    const { store, clock, log } = this.#options;
    try {
      for (const applicationId of await store.endpoints.behind()) this.changedFor(applicationId);
    } catch (error) {
      log.warn({ err: error }, 'endpoints could not be looked at; it is tried again');
    }
    if (this.#isStopped) return;
    this.#callOff = clock.after(LOOK_EVERY, () => void this.#look());
  }
}
