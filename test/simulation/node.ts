import type { Channel } from '../../src/channels/channel.ts';
import { Delivery } from '../../src/deliver/delivery.ts';
import type { CallOff, Clock } from '../../src/lib/clock.ts';
import type { Log } from '../../src/lib/log.ts';
import type { OutgoingNetwork } from '../../src/lib/outgoing.ts';
import { Room } from '../../src/lib/room.ts';
import { StoreUnavailable } from '../../src/store/faults.ts';
import type { Store } from '../../src/store/store.ts';
import type { Turn, TurnResult } from '../../src/store/turn.ts';

/** Nobody asks for it: the channel of the simulation sends by itself. */
const NETWORK: OutgoingNetwork = {
  fetch: () => Promise.reject(new Error('there is no network')),
  download: () => Promise.reject(new Error('there is no network')),
  room: new Room(0),
  dial: () => Promise.reject(new Error('there is no network')),
  close: () => Promise.resolve(),
};

/** How long a stop may take, by the time of the machine: longer than any course of events. */
const PATIENCE = 60_000;

/** What the nodes of one world have in common. */
export interface Surroundings {
  store: Store;
  clock: Clock;
  log: Log;
  /** The channel, as this node has it. */
  channel(node: SimulatedNode): Channel;
  random(): number;
  /** How many turns the store makes at once. */
  turnsAtOnce: number;
  /** Whether the next question to the store fails, and whether what it asks for is done nevertheless. */
  nextFault(): StoreFault;
}

export const STORE_FAULTS = ['none', 'refused', 'answer lost'] as const;
export type StoreFault = (typeof STORE_FAULTS)[number];

/**
 * A process that delivers. It can be killed, and it can be stopped and go on, as SIGSTOP and SIGCONT do:
 * meanwhile time passes, but nothing of it runs, and no answer reaches it.
 */
export class SimulatedNode {
  readonly delivery: Delivery;
  /** Calls of the store that are being made. */
  busy = 0;
  /** When it last asked for its lease to be renewed and was told that it is. */
  renewedAt = Number.NEGATIVE_INFINITY;
  /** Messages whose outcome it recorded although another node owned them. */
  readonly usurped: number[] = [];
  #isDead = false;
  #isLeaving = false;
  #stopped: PromiseWithResolvers<void> | undefined;
  readonly #clock: Clock;
  readonly #nextFault: () => StoreFault;

  constructor(surroundings: Surroundings) {
    const { store, clock, log, channel, random, turnsAtOnce } = surroundings;
    this.#clock = clock;
    this.#nextFault = surroundings.nextFault;
    const own = channel(this);
    this.delivery = new Delivery({
      store: this.#behind(store, turnsAtOnce),
      clock: this.#slowed(clock),
      log,
      role: 'deliver',
      network: NETWORK,
      observer: { tried() {}, settled() {}, oldestDue() {} },
      findChannel: () => own,
      operatorUrl: () => undefined,
      random,
      recorded() {},
      freed() {},
      hear: () => Promise.resolve(),
    });
  }

  get isRunning(): boolean {
    return !this.#isDead && !this.#stopped;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** Whether it has been told to end, and does so as soon as it can. */
  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  kill(): void {
    this.#isDead = true;
    this.delivery.abandon();
  }

  /** Ends as a process does that is told to. */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    await this.delivery.stop(PATIENCE);
    this.#isDead = true;
  }

  stop(): void {
    if (!this.#isDead) this.#stopped ??= Promise.withResolvers();
  }

  goOn(): void {
    this.#stopped?.resolve();
    this.#stopped = undefined;
  }

  /** Comes back when the process runs; never, when it is dead. */
  async runs(): Promise<void> {
    while (this.#stopped) await this.#stopped.promise;
    if (this.#isDead) await new Promise(() => {});
  }

  #slowed(clock: Clock): Clock {
    return {
      now: () => clock.now(),
      elapsed: () => clock.elapsed(),
      after: (milliseconds, call): CallOff => {
        let isOff = false;
        const callOff = clock.after(milliseconds, () => {
          if (this.isRunning) call();
          else void this.runs().then(() => isOff || call());
        });
        return () => {
          isOff = true;
          callOff();
        };
      },
    };
  }

  /** The store as this process reaches it: what it asks is done, but it may never hear of it. */
  #behind(store: Store, turnsAtOnce: number): Store {
    const through = <Part extends object>(part: Part): Part =>
      new Proxy(part, {
        get: (target, name) => {
          const method: unknown = Reflect.get(target, name);
          if (typeof method !== 'function') return method;
          if (name === 'open') return method.bind(target);
          if (name === 'turn')
            return (turn: Turn) => this.#ask('turn', () => this.#turn(store, turn));
          return (...args: unknown[]) => this.#ask(String(name), () => method.apply(target, args));
        },
      });
    const parts = {
      engine: { ...store.engine, turnsAtOnce },
      deliveries: through(store.deliveries),
      ownerships: through(store.ownerships),
      ringNames: () => this.#ask('ringNames', () => store.ringNames()),
    };
    return Object.assign(Object.create(store), parts) as Store;
  }

  /** What is recorded under an ownership that was lost before is noted. */
  async #turn(store: Store, turn: Turn): Promise<TurnResult> {
    const owners = () =>
      store.engine.db.selectFrom('ownerships').select(['integrationId', 'node', 'fence']).execute();
    const before = await owners();
    const result = await store.deliveries.turn(turn);
    for (const { integrationId, fence, messageId } of turn.settlements) {
      if (result.refused.includes(messageId)) continue;
      const owned = before.find((one) => one.integrationId === integrationId);
      if (owned?.node !== turn.node || owned.fence !== fence) this.usurped.push(messageId);
    }
    return result;
  }

  async #ask(name: string, call: () => Promise<unknown>): Promise<unknown> {
    await this.runs();
    const asked = this.#clock.elapsed();
    this.busy++;
    try {
      const fault = this.#nextFault();
      if (fault === 'refused') throw new StoreUnavailable('it was not asked');
      const answer = await call();
      if (fault === 'answer lost') throw new StoreUnavailable('the answer is lost');
      if (name === 'renew') this.renewedAt = asked;
      return answer;
    } finally {
      this.busy--;
      await this.runs();
    }
  }
}
