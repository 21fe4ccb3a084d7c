import type { Duplex } from 'node:stream';

interface SlotLimits {
  total: number;
  perOwner: number;
}

/** Limits open sockets, in total and per owner. */
export class SocketSlots<Owner> {
  readonly #limits: SlotLimits;
  readonly #byOwner = new Map<Owner, number>();
  #total = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Counts the socket until it closes. Returns which limit is reached, or undefined. */
  take(owner: Owner, socket: Duplex): 'full' | 'too many' | undefined {
    // A destroyed socket emits no further `close`, so it would be counted forever.
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
