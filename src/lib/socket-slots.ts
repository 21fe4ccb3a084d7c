import type { Duplex } from 'node:stream';

export interface SlotLimits {
  total: number;
  perOwner: number;
}

/** How many sockets are open at once, in total and for each owner. */
export class SocketSlots<Owner> {
  readonly #limits: SlotLimits;
  readonly #byOwner = new Map<Owner, number>();
  #total = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Counts the socket until it closes; answers why there is no room for it, or nothing. */
  take(owner: Owner, socket: Duplex): 'full' | 'too many' | undefined {
    // It will not close again.
    if (socket.destroyed) return 'full';
    const held = this.#byOwner.get(owner) ?? 0;
    if (held >= this.#limits.perOwner) return 'too many';
    if (this.#total >= this.#limits.total) return 'full';
    this.#total++;
    this.#byOwner.set(owner, held + 1);
    socket.once('close', () => this.#release(owner));
    return undefined;
  }

  #release(owner: Owner): void {
    const held = this.#byOwner.get(owner) ?? 0;
    this.#total--;
    if (held > 1) this.#byOwner.set(owner, held - 1);
    else this.#byOwner.delete(owner);
  }
}
