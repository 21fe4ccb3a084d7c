import type { Pace } from '../../channels/channel.ts';
import type { Clock } from '../../lib/runtime/clock.ts';
import type { Millis } from '../../model/timestamp.ts';

/** A token bucket: how many messages may be sent now without exceeding the channel's rate limit. */
export class Budget {
  readonly #burst: number;
  /** Tokens per millisecond. */
  readonly #rate: number;
  readonly #clock: Clock;
  #tokens: number;
  #at: number;

  constructor({ count, seconds, burst }: NonNullable<Pace['integration']>, clock: Clock) {
    this.#burst = burst;
    this.#rate = count / (seconds * 1000);
    this.#clock = clock;
    this.#tokens = burst;
    this.#at = clock.elapsed();
  }

  get available(): number {
    this.#refill();
    return Math.floor(this.#tokens);
  }

  /** When the next token will be available; undefined if one is available now. */
  get nextAt(): Millis | undefined {
    if (this.available >= 1) return undefined;
    return this.#clock.now() + Math.ceil((1 - this.#tokens) / this.#rate);
  }

  spend(): void {
    this.#refill();
    this.#tokens -= 1;
  }

  /** Returns a token whose message was not sent. */
  refund(): void {
    this.#refill();
    this.#tokens = Math.min(this.#burst, this.#tokens + 1);
  }

  #refill(): void {
    const now = this.#clock.elapsed();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#at) * this.#rate);
    this.#at = now;
  }
}
