import type { Channel } from '../../src/channels/channel.ts';
import { Delivery } from '../../src/deliver/delivery.ts';
import type { HttpClient } from '../../src/lib/http/client.ts';
import { ByteSemaphore } from '../../src/lib/runtime/byte-semaphore.ts';
import type { Cancel, Clock } from '../../src/lib/runtime/clock.ts';
import type { Log } from '../../src/lib/telemetry/log.ts';
import type { DispatchRound, DispatchResult } from '../../src/store/delivery/dispatch-round.ts';
import { StoreUnavailable } from '../../src/store/faults.ts';
import type { Store } from '../../src/store/store.ts';
import type { Stops } from './stops.ts';

/** Unused, because the simulated channel does not use the network. */
const NETWORK: HttpClient = {
  fetch: () => Promise.reject(new Error('there is no network')),
  download: () => Promise.reject(new Error('there is no network')),
  fileMemory: new ByteSemaphore(0),
  dial: () => Promise.reject(new Error('there is no network')),
  close: () => Promise.resolve(),
};

/** The stop timeout in real time: longer than any scenario takes. */
const STOP_TIMEOUT_MS = 60_000;

/** What the nodes of one simulation share. */
export interface Surroundings {
  store: Store;
  clock: Clock;
  log: Log;
  /** The channel, as this node has it. */
  channel(node: SimulatedNode): Channel;
  random(): number;
  /** The number of dispatch rounds that the store runs at once. */
  maxConcurrentRounds: number;
  stops: Stops;
  /** Whether the next store request fails, and if so, whether it takes effect nevertheless. */
  nextFault(): StoreFault;
}

export const STORE_FAULTS = ['none', 'refused', 'answer lost'] as const;
export type StoreFault = (typeof STORE_FAULTS)[number];

/**
 * A delivering process. It can be killed, and it can be suspended and resumed like with SIGSTOP and SIGCONT: while
 * suspended, time passes, but its code does not run and no response reaches it.
 */
export class SimulatedNode {
  readonly delivery: Delivery;
  /** Store requests in progress. */
  busy = 0;
  /** When it sent its last successful lease renewal. */
  renewedAt = Number.NEGATIVE_INFINITY;
  /** Messages whose results it recorded although another node owned them, which is a bug. */
  readonly usurped: number[] = [];
  #isDead = false;
  #isLeaving = false;
  #stopped: PromiseWithResolvers<void> | undefined;
  readonly #clock: Clock;
  readonly #nextFault: () => StoreFault;
  readonly #stops: Stops;

  constructor(surroundings: Surroundings) {
    const { store, clock, log, channel, random, maxConcurrentRounds } = surroundings;
    this.#clock = clock;
    this.#nextFault = surroundings.nextFault;
    this.#stops = surroundings.stops;
    const own = channel(this);
    this.delivery = new Delivery({
      store: this.#behind(store, maxConcurrentRounds),
      clock: this.#slowed(clock),
      log,
      role: 'deliver',
      network: NETWORK,
      observer: { attempted() {}, settled() {}, oldestDue() {} },
      findChannel: () => own,
      operatorUrl: () => undefined,
      random,
      recorded() {},
      released() {},
      dueElsewhere() {},
      ended() {},
      feedChanged() {},
      chooseAgain: () => Promise.resolve({}),
      receive: () => Promise.resolve(),
    });
  }

  get isRunning(): boolean {
    return !this.#isDead && !this.#stopped;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** Whether it is stopping gracefully. */
  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  kill(): void {
    this.#isDead = true;
    this.delivery.abandon();
  }

  /** Stops gracefully, like after SIGTERM. */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    await this.delivery.stop(STOP_TIMEOUT_MS);
    this.#isDead = true;
  }

  stop(): void {
    if (!this.#isDead) this.#stopped ??= Promise.withResolvers();
  }

  goOn(): void {
    this.#stopped?.resolve();
    this.#stopped = undefined;
  }

  /** Resolves when the process runs; never if it is dead. */
  async runs(): Promise<void> {
    while (this.#stopped) await this.#stopped.promise;
    if (this.#isDead) await new Promise(() => {});
  }

  #slowed(clock: Clock): Clock {
    return {
      now: () => clock.now(),
      elapsed: () => clock.elapsed(),
      after: (milliseconds, call): Cancel => {
        let isOff = false;
        const cancel = clock.after(milliseconds, () => {
          if (this.isRunning) call();
          else void this.runs().then(() => isOff || call());
        });
        return () => {
          isOff = true;
          cancel();
        };
      },
    };
  }

  /** The store as this process sees it: requests take effect, but their responses may be lost. */
  #behind(store: Store, maxConcurrentRounds: number): Store {
    const through = <Part extends object>(part: Part): Part =>
      new Proxy(part, {
        get: (target, name) => {
          const method: unknown = Reflect.get(target, name);
          if (typeof method !== 'function') return method;
          // Questions to memory, not to the store.
          if (name === 'open' || name === 'recall') return method.bind(target);
          if (name === 'dispatch')
            return (round: DispatchRound) =>
              this.#storeRequest('dispatch', () => this.#round(store, round));
          return (...args: unknown[]) =>
            this.#storeRequest(String(name), () => method.apply(target, args));
        },
      });
    const parts = {
      engine: { ...store.engine, maxConcurrentRounds },
      deliveries: through(store.deliveries),
      ownerships: through(store.ownerships),
      schedule: through(store.schedule),
      windows: through(store.windows),
      routes: through(store.routes),
      addressMoves: through(store.addressMoves),
      ringNames: () => this.#storeRequest('ringNames', () => store.ringNames()),
    };
    return Object.assign(Object.create(store), parts) as Store;
  }

  /** Notes results that are recorded although the ownership was lost before. */
  async #round(store: Store, round: DispatchRound): Promise<DispatchResult> {
    const owners = () =>
      store.engine.db.selectFrom('ownerships').select(['integrationId', 'node', 'fence']).execute();
    const before = await owners();
    const result = await this.#stops.watch(() => store.deliveries.dispatch(round));
    for (const { integrationId, fence, messageId } of round.results) {
      if (result.refused.includes(messageId)) continue;
      const owned = before.find((one) => one.integrationId === integrationId);
      if (owned?.node !== round.node || owned.fence !== fence) this.usurped.push(messageId);
    }
    return result;
  }

  async #storeRequest(name: string, call: () => Promise<unknown>): Promise<unknown> {
    await this.runs();
    const sentAt = this.#clock.elapsed();
    this.busy++;
    try {
      const fault = this.#nextFault();
      if (fault === 'refused') throw new StoreUnavailable(`the request is lost: ${name}`);
      const answer = await call();
      if (fault === 'answer lost') throw new StoreUnavailable(`the response is lost: ${name}`);
      if (name === 'renew') this.renewedAt = sentAt;
      return answer;
    } finally {
      this.busy--;
      await this.runs();
    }
  }
}
