import type { DispatchResult } from '../../src/store/delivery/dispatch-round.ts';
import type { Store } from '../../src/store/store.ts';

/** The key of a recipient's consent. */
export const consentKeyOf = (recipient: string) => `simulated:${recipient}`;

/**
 * The people who stopped messages. A claim that began after a stop was acknowledged, and ended before it was lifted,
 * must not start a message to them; nor may such a message be accepted.
 */
export class Stops {
  readonly faults: string[] = [];
  /** Each acknowledged stop by its recipient, with a number of its own. */
  readonly #stops = new Map<string, number>();
  readonly #suppressed = new Set<number>();
  /** When the last claim of each message began. */
  readonly #claimedAt = new Map<number, number>();
  #last = 0;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  async change(
    store: Store,
    applicationId: number,
    recipient: string,
    state: 'granted' | 'revoked',
    at: number,
  ): Promise<void> {
    // Lifted before the request is made: it may take effect at any time from then on.
    if (state === 'granted') this.#stops.delete(recipient);
    const key = consentKeyOf(recipient);
    const change = { key, scope: 'all', state, source: 'keyword', evidence: null } as const;
    await store.consents.change([{ ...change, applicationId, at }]);
    if (state === 'revoked') this.#stops.set(recipient, ++this.#last);
  }

  isStopped(recipient: string): boolean {
    return this.#stops.has(recipient);
  }

  /** Runs a dispatch round and checks the messages that it started. */
  async watch(round: () => Promise<DispatchResult>): Promise<DispatchResult> {
    const before = new Map(this.#stops);
    const began = this.#now();
    const result = await round();
    for (const { id, recipient, suppressed } of result.claimed) {
      this.#claimedAt.set(id, began);
      const stop = before.get(recipient);
      const isStopped = stop !== undefined && this.#stops.get(recipient) === stop;
      if (isStopped && !suppressed) this.faults.push(`message ${id}: started after the stop`);
      if (suppressed) this.#suppressed.add(id);
      else this.#suppressed.delete(id);
    }
    return result;
  }

  claimedAt(messageId: number): number {
    return this.#claimedAt.get(messageId) ?? 0;
  }

  /** Whether the message must not reach the channel: its last start found that the recipient stopped it. */
  isSuppressed(messageId: number): boolean {
    return this.#suppressed.has(messageId);
  }
}
