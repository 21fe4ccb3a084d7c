import type { Pace } from '../../channels/channel.ts';
import type { Clock } from '../../lib/runtime/clock.ts';

/** Beyond these, the oldest are forgotten: their next message may exceed the limit, and the vendor says so. */
const MAX_RECIPIENTS = 10_000;

/**
 * Spaces out the messages to one recipient. Where the vendor allows bursts, messages wait only once a burst is used up:
 * the generic cell rate algorithm, based on the time of each answer, which is later than when the vendor counted the
 * message.
 */
export class RecipientPace {
  readonly #clock: Clock;
  /** When each recipient has a full burst again; the recipient that was counted longest ago comes first. */
  readonly #fullAt = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a message that was answered now. Returns how long the next one must wait, in milliseconds. */
  count({ recipient, recipientBurst = 1 }: Pace, to: string): number {
    const spacing = (recipient?.(to) ?? 0) * 1000;
    if (spacing === 0 || recipientBurst === 1) return spacing;
    const now = this.#clock.elapsed();
    const fullAt = Math.max(this.#fullAt.get(to) ?? 0, now) + spacing;
    this.#fullAt.delete(to);
    this.#fullAt.set(to, fullAt);
    this.#forget(now);
    return Math.max(0, fullAt - now - (recipientBurst - 1) * spacing);
  }

  #forget(now: number): void {
    for (const [to, fullAt] of this.#fullAt) {
      if (fullAt > now && this.#fullAt.size <= MAX_RECIPIENTS) return;
      this.#fullAt.delete(to);
    }
  }
}
