import type { Pace } from '../../channels/channel.ts';
import type { Clock } from '../../lib/runtime/clock.ts';
import type { Millis } from '../../model/timestamp.ts';

/**
 * How many messages may be sent now without exceeding the channel's rate limit. A token bucket spreads them. Where the
 * vendor counts per period, no period has more than `count`: a message counts until the period has passed since its
 * answer, because the vendor may have counted it at any time before. See docs/decisions/0057-pacing.md.
 */
export class Budget {
  readonly #burst: number;
  /** Tokens per millisecond. */
  readonly #rate: number;
  /** The most messages within a period; infinite where bursts are larger than that. */
  readonly #count: number;
  readonly #periodMs: number;
  readonly #clock: Clock;
  #tokens: number;
  #at: number;
  /** Messages that were started and not answered. */
  #started = 0;
  /** How many of them were not sent. */
  #refunded = 0;
  /** When answered messages stop counting, in order. */
  #counted: number[] = [];
  /** How many of these have stopped. */
  #passed = 0;

  constructor({ count, seconds, burst }: NonNullable<Pace['integration']>, clock: Clock) {
    this.#burst = burst;
    this.#rate = count / (seconds * 1000);
    this.#count = burst <= count ? count : Number.POSITIVE_INFINITY;
    this.#periodMs = seconds * 1000;
    this.#clock = clock;
    this.#tokens = burst;
    this.#at = clock.elapsed();
  }

  get available(): number {
    this.#refill();
    const sent = this.#started - this.#refunded + this.#counted.length - this.#passed;
    return Math.min(Math.floor(this.#tokens), this.#count - sent);
  }

  /** When the next message may be sent; undefined if one may now, or as soon as another is answered. */
  get nextAt(): Millis | undefined {
    if (this.available >= 1) return undefined;
    const forToken = this.#tokens >= 1 ? 0 : (1 - this.#tokens) / this.#rate;
    const freeAt = this.#counted[this.#passed];
    const isFull =
      this.#started - this.#refunded + this.#counted.length - this.#passed >= this.#count;
    const forPeriod = isFull && freeAt !== undefined ? freeAt - this.#at : 0;
    const wait = Math.ceil(Math.max(forToken, forPeriod));
    return wait > 0 ? this.#clock.now() + wait : undefined;
  }

  spend(): void {
    this.#refill();
    this.#tokens -= 1;
    this.#started++;
  }

  /** Returns the token of a started message that was not sent. */
  refund(): void {
    this.#refill();
    this.#tokens = Math.min(this.#burst, this.#tokens + 1);
    this.#refunded = Math.min(this.#started, this.#refunded + 1);
  }

  /** A started message was answered, or not sent. */
  answered(): void {
    // A message that was started before the channel was known has no token.
    if (this.#started === 0) return;
    this.#started--;
    if (this.#refunded > 0) this.#refunded--;
    else if (this.#count < Number.POSITIVE_INFINITY) {
      this.#counted.push(this.#clock.elapsed() + this.#periodMs);
    }
  }

  #refill(): void {
    const now = this.#clock.elapsed();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#at) * this.#rate);
    this.#at = now;
    while ((this.#counted[this.#passed] ?? Number.POSITIVE_INFINITY) <= now) this.#passed++;
    // Not at each message: that would move all others.
    if (this.#passed <= this.#counted.length / 2) return;
    this.#counted = this.#counted.slice(this.#passed);
    this.#passed = 0;
  }
}
