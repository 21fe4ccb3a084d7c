import { randomUUID } from 'node:crypto';

import type { Clock } from '../lib/runtime/clock.ts';
import type { Log } from '../lib/telemetry/log.ts';
import { MAX_AT_ONCE, type OwnedIntegration } from '../store/delivery/ownerships.ts';
import type { Node } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import { registerNode, isGone, thisHost } from './node-process.ts';

/** A node that has not renewed for this long counts as dead. */
export const LEASE_MS = 10_000;
const RENEW_AFTER_MS = 3_000;
const ROUND_INTERVAL_MS = 1_000;
/** Rounds between two lookups of all that this node owns. */
const LOOKUP_ROUNDS = 30;
/** Rounds between two comparisons with this node's fair share. */
const COMPARE_ROUNDS = 3;

export interface OwnershipObserver {
  /** Called with newly claimed integrations. */
  gained(owned: OwnedIntegration[]): Promise<void>;
  /** Called periodically with all integrations that this node owns. */
  owns(owned: OwnedIntegration[]): Promise<void>;
  /** Called with the number of integrations above this node's fair share. */
  surplus(count: number): void;
  /** Called when the lease has expired: other nodes may claim this node's integrations. */
  lapsed(): void;
  /** Called when the node gets a lease after having none. */
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

/** Registers this node, renews its lease, and claims its share of unowned integrations. */
export class Ownership {
  readonly node: Omit<Node, 'expiresAt' | 'ring'>;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #observer: OwnershipObserver | undefined;
  readonly #unregister: () => void;
  /** Rounds since the last lookup, and since the last comparison. */
  #roundsSinceLookup = LOOKUP_ROUNDS;
  #roundsSinceCompare = 0;
  /** Integrations above the fair share at the last comparison. */
  #surplus = 0;
  #hasPeers = false;
  #cancelLapse: (() => void) | undefined;
  #validUntil = Number.NEGATIVE_INFINITY;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;
  #isRepeatRequested = false;
  #hasLapsed = false;
  #cancel: (() => void) | undefined;
  #stopped = false;

  constructor({ store, clock, log, role, observer }: OwnershipOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#observer = observer;
    const startedAt = clock.now();
    this.node = { id: randomUUID(), role, host: thisHost(), pid: process.pid, startedAt };
    this.#unregister = registerNode(this.node.id);
  }

  /** Whether the lease is valid, so that no other node can have claimed this node's integrations. */
  get isValid(): boolean {
    return this.#clock.elapsed() < this.#validUntil;
  }

  get hasPeers(): boolean {
    return this.#hasPeers;
  }

  /** Claims unowned integrations now, and then periodically. */
  claim(): Promise<void> {
    if (this.#running || this.#stopped) {
      this.#isRepeatRequested = true;
      return this.#running ?? Promise.resolve();
    }
    this.#cancel?.();
    this.#running = this.#round().finally(() => {
      this.#running = undefined;
      if (this.#stopped) return;
      // Requested during the round: run at once. A timer would never fire on a test clock that stands still.
      if (this.#isRepeatRequested) {
        this.#isRepeatRequested = false;
        void this.claim();
      } else this.#cancel = this.#clock.after(ROUND_INTERVAL_MS, () => void this.claim());
    });
    return this.#running;
  }

  /** Claims nothing more and tells the other nodes to divide this node's integrations among them. */
  async leave(): Promise<void> {
    this.node.role = 'leaving';
    this.#renewedAt = Number.NEGATIVE_INFINITY;
    await this.claim();
  }

  /** Releases everything. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel?.();
    this.#cancelLapse?.();
    await this.#running;
    this.#unregister();
    try {
      await this.#store.ownerships.releaseAll(this.node.id);
    } catch (error) {
      this.#log.warn({ err: error }, 'releasing integrations failed, leases will expire');
    }
  }

  /** Stops without releasing anything, like a killed process. For tests. */
  abandon(): void {
    this.#stopped = true;
    this.#cancel?.();
    this.#cancelLapse?.();
    this.#unregister();
  }

  async #round(): Promise<void> {
    try {
      await this.#renew();
      const { ownerships } = this.#store;
      const nodes = await ownerships.nodes(this.#clock.now());
      const dead = nodes.filter((node) => isGone(node, this.node)).map(({ id }) => id);
      this.#hasPeers = nodes.some(
        ({ id, leaseLeftMs }) => id !== this.node.id && leaseLeftMs > 0 && !dead.includes(id),
      );
      if (this.#observer && this.node.role !== 'leaving')
        await this.#claimShare(this.#observer, dead);
      await ownerships.forget(dead, this.#clock.now());
      // Finds claims whose response was lost, and integrations that were deleted.
      if (this.#observer && ++this.#roundsSinceLookup >= LOOKUP_ROUNDS) {
        await this.#observer.owns(await ownerships.ownedBy(this.node.id));
        this.#roundsSinceLookup = 0;
      }
    } catch (error) {
      this.#roundsSinceLookup = LOOKUP_ROUNDS;
      this.#log.warn({ err: error }, 'claiming integrations failed, retrying');
    }
  }

  async #claimShare(observer: OwnershipObserver, dead: readonly string[]): Promise<void> {
    const { ownerships } = this.#store;
    for (let hasMore = true; hasMore && !this.#stopped;) {
      const owned = await ownerships.claim(this.node.id, dead, this.#clock.now());
      if (!owned) this.#renewAtOnce();
      else if (owned.length > 0) await observer.gained(owned);
      if (owned) this.#hasLapsed = false;
      hasMore = owned?.length === MAX_AT_ONCE;
      // Claiming very many may take longer than the lease lasts.
      if (hasMore) await this.#renew();
    }
    if (!this.#hasPeers) this.#surplus = 0;
    if (!this.#hasPeers || ++this.#roundsSinceCompare < COMPARE_ROUNDS) return;
    this.#roundsSinceCompare = 0;
    const before = this.#surplus;
    this.#surplus = Math.max(
      0,
      -(await ownerships.shortfall(this.node.id, dead, this.#clock.now())),
    );
    // Only a surplus seen twice in a row counts: a node that has just joined may leave again.
    const count = Math.min(before, this.#surplus);
    if (count > 0) observer.surplus(count);
  }

  /**
   * The lease has expired, for example because the process was suspended. Only the first time in a row: if the store
   * takes longer than a lease lasts, the next round comes soon enough.
   */
  #renewAtOnce(): void {
    this.#renewedAt = Number.NEGATIVE_INFINITY;
    if (!this.#hasLapsed) this.#isRepeatRequested = true;
    this.#hasLapsed = true;
  }

  async #renew(): Promise<void> {
    const requestedAt = this.#clock.elapsed();
    if (requestedAt < this.#renewedAt + RENEW_AFTER_MS) return;
    const ring = (await this.#store.ringNames()).join(',');
    await this.#store.ownerships.renew({ ...this.node, ring }, LEASE_MS, this.#clock.now());
    // Counted from before the request. The store counts from a later moment, so the lease ends here first.
    const wasValid = this.isValid;
    this.#renewedAt = requestedAt;
    this.#validUntil = requestedAt + LEASE_MS;
    if (!wasValid) this.#observer?.leased();
    this.#cancelLapse?.();
    const left = this.#validUntil - this.#clock.elapsed();
    this.#cancelLapse = this.#clock.after(Math.max(left, 0), () => this.#observer?.lapsed());
  }
}
