import type { Id } from '../../model/id.ts';
import { Problem } from '../../model/problem.ts';

interface TransferLimits {
  /** Concurrent transfers per node. */
  max: number;
  maxPerApplication: number;
}

/** Limits how many files are fetched at once, so that one application does not take all of a node. */
export class TransferLimit {
  readonly #limits: TransferLimits;
  readonly #transfers = new Map<Id, number>();
  #total = 0;

  constructor(limits: TransferLimits) {
    this.#limits = limits;
  }

  /** Returns the function that ends the transfer. Throws a Problem if the limit is reached. */
  begin(applicationId: Id): () => void {
    const running = this.#transfers.get(applicationId) ?? 0;
    if (running >= this.#limits.maxPerApplication || this.#total >= this.#limits.max) {
      throw new Problem('overloaded', 'too many files are being fetched', {
        headers: { 'retry-after': '5' },
      });
    }
    this.#transfers.set(applicationId, running + 1);
    this.#total++;
    return () => {
      const current = this.#transfers.get(applicationId) ?? 0;
      this.#total--;
      if (current > 1) this.#transfers.set(applicationId, current - 1);
      else this.#transfers.delete(applicationId);
    };
  }
}
