import type { Clock } from '../lib/runtime/clock.ts';
import { Limiter } from '../lib/runtime/limiter.ts';
import type { Millis } from '../model/timestamp.ts';

/*
 * Limits for visitors. The chat page is public, so the limits are high enough for people and low enough that a
 * program cannot fill the disk.
 */

/** Characters per message. */
export const MAX_TEXT_LENGTH = 4_000;
/** Files per message. */
export const MAX_FILES_PER_MESSAGE = 10;
export const MAX_FILE_BYTES = 10 * 1024 * 1024;
/** Files per visitor within the retention period. */
export const MAX_FILES = 100;
/** Open pages per visitor; beyond that, the oldest is closed. */
export const MAX_SOCKETS = 10;
export const MAX_SOCKETS_OF_ADDRESS = 200;
/** Open sockets on one node, in total and per chat. */
export const MAX_CHAT_SOCKETS = { total: 10_000, perOwner: 2_000 };
/** Queued frames per page. */
export const MAX_QUEUED_FRAMES = 50;

/** Rate per second, and burst. */
const RATES = {
  begin: { address: [1, 30] },
  say: { visitor: [1, 20], address: [5, 100] },
  upload: { visitor: [0.2, 20], address: [1, 60] },
  frame: { visitor: [20, 200] },
} as const satisfies Record<
  string,
  Partial<Record<'visitor' | 'address', readonly [number, number]>>
>;

type RatedAction = keyof typeof RATES;

interface RateSubject {
  /** Identifies the integration and the visitor. */
  visitor?: string;
  address?: string;
}

/** Rate limits for visitors, per node. */
export class ChatLimits {
  readonly #clock: Clock;
  readonly #limiters = new Map<string, Limiter>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns 0, or the milliseconds to wait. */
  take(action: RatedAction, subject: RateSubject): Millis {
    const rates: Partial<Record<keyof RateSubject, readonly [number, number]>> = RATES[action];
    const spent: [Limiter, string][] = [];
    for (const kind of ['visitor', 'address'] as const) {
      const rate = rates[kind];
      const key = subject[kind];
      if (!rate || key === undefined) continue;
      const limiter = this.#limiter(`${action} ${kind}`, rate);
      const wait = limiter.take(key);
      if (wait > 0) {
        // A refused action does not count.
        for (const [other, name] of spent) other.giveBack(name);
        return wait;
      }
      spent.push([limiter, key]);
    }
    return 0;
  }

  #limiter(name: string, [rate, burst]: readonly [number, number]): Limiter {
    const known = this.#limiters.get(name) ?? new Limiter(rate, burst, () => this.#clock.elapsed());
    this.#limiters.set(name, known);
    return known;
  }
}
