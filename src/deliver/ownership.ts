import { randomUUID } from 'node:crypto';

import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { MAX_AT_ONCE, type Owned } from '../store/ownerships.ts';
import type { Node } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import { enterNode, isGone, thisHost } from './processes.ts';

/** How long a node that is not heard of is believed to live, in milliseconds. */
export const LEASE = 10_000;
const RENEW_AFTER = 3_000;
const EVERY = 1_000;
/** After how many rounds it is looked up what this node owns, and whether that is too much. */
const LOOKED_UP_EVERY = 30;
const WEIGHED_EVERY = 3;

/** Whoever sends for what this node owns. */
export interface OwnershipObserver {
  /** Told what this node owns from now on. */
  gained(owned: Owned[]): Promise<void>;
  /** Told, from time to time, all that this node owns. */
  owns(owned: Owned[]): Promise<void>;
  /** Told how many of them others should own. */
  surplus(count: number): void;
  /** Told that the lease has lapsed: others may own what this node does. */
  lapsed(): void;
  /** Told that there is a lease, after there was none. */
  leased(): void;
}

export interface OwnershipOptions {
  store: Store;
  clock: Clock;
  log: Log;
  role: Exclude<Node['role'], 'leaving'>;
  /** Undefined for a node that owns nothing. */
  observer?: OwnershipObserver;
}

/** Makes this node known, keeps its lease, and takes its share of what nobody owns. */
export class Ownership {
  readonly node: Omit<Node, 'expiresAt' | 'ring'>;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #observer: OwnershipObserver | undefined;
  readonly #exit: () => void;
  /** How many rounds there were since it was looked up what this node owns, and whether that is too much. */
  #rounds = LOOKED_UP_EVERY;
  #unweighed = 0;
  /** How many it owned too many when that was last looked at. */
  #surplus = 0;
  #hasPeers = false;
  #callOffLapse: (() => void) | undefined;
  #validUntil = Number.NEGATIVE_INFINITY;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #underWay: Promise<void> | undefined;
  #again = false;
  #callOff: (() => void) | undefined;
  #stopped = false;

  constructor({ store, clock, log, role, observer }: OwnershipOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#observer = observer;
    const startedAt = clock.now();
    this.node = { id: randomUUID(), role, host: thisHost(), pid: process.pid, startedAt };
    this.#exit = enterNode(this.node.id);
  }

  /** Whether no other node can have taken over what this one owns. */
  get isValid(): boolean {
    return this.#clock.elapsed() < this.#validUntil;
  }

  /** Whether there are other nodes. */
  get hasPeers(): boolean {
    return this.#hasPeers;
  }

  /** Takes what there is to take, now and from time to time. */
  claim(): Promise<void> {
    if (this.#underWay || this.#stopped) {
      this.#again = true;
      return this.#underWay ?? Promise.resolve();
    }
    this.#callOff?.();
    this.#underWay = this.#round().finally(() => {
      this.#underWay = undefined;
      if (this.#stopped) return;
      // Asked for meanwhile: at once and not by a timer, which a clock that stands still would never call.
      if (this.#again) {
        this.#again = false;
        void this.claim();
      } else this.#callOff = this.#clock.after(EVERY, () => void this.claim());
    });
    return this.#underWay;
  }

  /** Takes nothing more, and lets the others know that they are to share what this node owns. */
  async leave(): Promise<void> {
    this.node.role = 'leaving';
    this.#renewedAt = Number.NEGATIVE_INFINITY;
    await this.claim();
  }

  /** Lets go of everything. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#callOff?.();
    this.#callOffLapse?.();
    await this.#underWay;
    this.#exit();
    try {
      await this.#store.ownerships.release(this.node.id);
    } catch (error) {
      this.#log.warn({ err: error }, 'ownerships could not be released; they lapse by themselves');
    }
  }

  /** Ends as a process does that is killed: nothing is released. */
  abandon(): void {
    this.#stopped = true;
    this.#callOff?.();
    this.#callOffLapse?.();
    this.#exit();
  }

  async #round(): Promise<void> {
    try {
      await this.#renew();
      const { ownerships } = this.#store;
      const nodes = await ownerships.nodes(this.#clock.now());
      const dead = nodes.filter((node) => isGone(node, this.node)).map(({ id }) => id);
      this.#hasPeers = nodes.some(
        ({ id, left }) => id !== this.node.id && left > 0 && !dead.includes(id),
      );
      if (this.#observer && this.node.role !== 'leaving') await this.#take(this.#observer, dead);
      await ownerships.forget(dead, this.#clock.now());
      // A claim whose answer was lost was made nevertheless; and what was deleted is owned no more.
      if (this.#observer && ++this.#rounds >= LOOKED_UP_EVERY) {
        await this.#observer.owns(await ownerships.ownedBy(this.node.id));
        this.#rounds = 0;
      }
    } catch (error) {
      this.#rounds = LOOKED_UP_EVERY;
      this.#log.warn({ err: error }, 'claiming integrations failed; it is tried again');
    }
  }

  async #take(observer: OwnershipObserver, dead: readonly string[]): Promise<void> {
    const { ownerships } = this.#store;
    for (let isMore = true; isMore && !this.#stopped;) {
      const owned = await ownerships.claim(this.node.id, dead, this.#clock.now());
      if (!owned) this.#renewedAt = Number.NEGATIVE_INFINITY;
      else if (owned.length > 0) await observer.gained(owned);
      isMore = owned?.length === MAX_AT_ONCE;
      // Taking over very many may take longer than a lease lasts.
      if (isMore) await this.#renew();
    }
    if (!this.#hasPeers) this.#surplus = 0;
    if (!this.#hasPeers || ++this.#unweighed < WEIGHED_EVERY) return;
    this.#unweighed = 0;
    const before = this.#surplus;
    this.#surplus = Math.max(0, -(await ownerships.lacks(this.node.id, dead, this.#clock.now())));
    // Only what has been too much for a while: whoever has just come may be gone again.
    const count = Math.min(before, this.#surplus);
    if (count > 0) observer.surplus(count);
  }

  async #renew(): Promise<void> {
    const asked = this.#clock.elapsed();
    if (asked < this.#renewedAt + RENEW_AFTER) return;
    const ring = (await this.#store.ringNames()).join(',');
    await this.#store.ownerships.renew({ ...this.node, ring }, LEASE, this.#clock.now());
    // From before the question: the store counts from when it answered.
    const wasValid = this.isValid;
    this.#renewedAt = asked;
    this.#validUntil = asked + LEASE;
    if (!wasValid) this.#observer?.leased();
    this.#callOffLapse?.();
    const left = this.#validUntil - this.#clock.elapsed();
    this.#callOffLapse = this.#clock.after(Math.max(left, 0), () => this.#observer?.lapsed());
  }
}
