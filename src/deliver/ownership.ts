import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Owned } from '../store/ownerships.ts';
import type { Node } from '../store/schema.ts';
import type { Store } from '../store/store.ts';

/** How long a node that is not heard of is believed to live, in milliseconds. */
export const LEASE = 10_000;
const RENEW_AFTER = 3_000;
const EVERY = 1_000;
const LOOKED_UP_EVERY = 30;

/** The nodes that run in this very process; there are several in tests only. */
const here = new Set<string>();

/** Whoever sends for what this node owns. */
export interface OwnershipObserver {
  /** Told what this node owns from now on. */
  gained(owned: Owned[]): Promise<void>;
  /** Told, from time to time, all that this node owns. */
  owns(owned: Owned[]): Promise<void>;
  /** Told that the lease has lapsed: others may own what this node does. */
  lapsed(): void;
  /** Told that there is a lease, after there was none. */
  leased(): void;
}

/** Keeps the lease of this node, and takes what nobody owns. */
export class Ownership {
  readonly node: Omit<Node, 'expiresAt'>;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #observer: OwnershipObserver;
  /** How many rounds there were since it was looked up what this node owns. */
  #rounds = LOOKED_UP_EVERY;
  #callOffLapse: (() => void) | undefined;
  #validUntil = Number.NEGATIVE_INFINITY;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #underWay: Promise<void> | undefined;
  #again = false;
  #callOff: (() => void) | undefined;
  #stopped = false;

  constructor(store: Store, clock: Clock, log: Log, observer: OwnershipObserver) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#observer = observer;
    this.node = { id: randomUUID(), host: hostOf(), pid: process.pid, startedAt: clock.now() };
    here.add(this.node.id);
  }

  /** Whether no other node can have taken over what this one owns. */
  get isValid(): boolean {
    return this.#clock.elapsed() < this.#validUntil;
  }

  /** Takes what there is to take, now and from time to time. */
  claim(): Promise<void> {
    if (this.#underWay) {
      this.#again = true;
      return this.#underWay;
    }
    this.#callOff?.();
    this.#underWay = this.#round().finally(() => {
      this.#underWay = undefined;
      if (this.#stopped) return;
      this.#callOff = this.#clock.after(this.#again ? 0 : EVERY, () => void this.claim());
      this.#again = false;
    });
    return this.#underWay;
  }

  /** Lets go of everything. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#callOff?.();
    this.#callOffLapse?.();
    await this.#underWay;
    here.delete(this.node.id);
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
    here.delete(this.node.id);
  }

  async #round(): Promise<void> {
    try {
      await this.#renew();
      const { ownerships } = this.#store;
      const dead = (await ownerships.nodes()).filter((node) => this.#isDead(node));
      const ids = dead.map(({ id }) => id);
      const owned = await ownerships.claim(this.node.id, ids, this.#clock.now());
      if (!owned) this.#renewedAt = Number.NEGATIVE_INFINITY;
      else if (owned.length > 0) await this.#observer.gained(owned);
      await ownerships.forget(ids, this.#clock.now());
      // A claim whose answer was lost was made nevertheless; and what was deleted is owned no more.
      if (++this.#rounds >= LOOKED_UP_EVERY) {
        await this.#observer.owns(await ownerships.ownedBy(this.node.id));
        this.#rounds = 0;
      }
    } catch (error) {
      this.#rounds = LOOKED_UP_EVERY;
      this.#log.warn({ err: error }, 'claiming integrations failed; it is tried again');
    }
  }

  async #renew(): Promise<void> {
    const asked = this.#clock.elapsed();
    if (asked < this.#renewedAt + RENEW_AFTER) return;
    await this.#store.ownerships.renew(this.node, LEASE, this.#clock.now());
    // From before the question: the store counts from when it answered.
    const wasValid = this.isValid;
    this.#renewedAt = asked;
    this.#validUntil = asked + LEASE;
    if (!wasValid) this.#observer.leased();
    this.#callOffLapse?.();
    const left = this.#validUntil - this.#clock.elapsed();
    this.#callOffLapse = this.#clock.after(Math.max(left, 0), () => this.#observer.lapsed());
  }

  /** A process of this machine that is gone for certain: its lease need not lapse first. */
  #isDead({ id, host, pid }: Node): boolean {
    if (host !== this.node.host || id === this.node.id) return false;
    return pid === process.pid ? !here.has(id) : !isAlive(pid);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/**
 * Where process ids mean the same: one run of one machine, and one container of it. Machines may share a name,
 * and the processes of each machine begin in a namespace of the same number.
 */
function hostOf(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${hostname()} ${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return `${hostname()} ${randomUUID()}`;
  }
}
