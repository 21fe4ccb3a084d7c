import { Limiter } from '../lib/limiter.ts';
import type { Millis } from '../model/timestamp.ts';

/*
 * What visitors may do. The page is open to everybody, so each of these is chosen so that no person notices it
 * and no program fills the disk.
 */

/** Characters in what a visitor writes at once. */
export const MOST_TEXT = 4_000;
/** Files that are sent together. */
export const MOST_AT_ONCE = 10;
export const MOST_FILE_BYTES = 10 * 1024 * 1024;
/** Files that a visitor may have sent, within the time that they are kept. */
export const MOST_FILES = 100;
/** Browsers, or pages in them, that one visitor has open; beyond it, the one that is open the longest is closed. */
export const MOST_SOCKETS = 10;
export const MOST_SOCKETS_OF_ADDRESS = 200;
/** Open sockets on one node, of all chats and of one. */
export const MAX_CHAT_SOCKETS = { total: 10_000, perOwner: 2_000 };
/** Frames that wait to be seen to. */
export const MOST_WAITING = 50;

/** A second, and at once. */
const RATES = {
  begin: { address: [1, 30] },
  say: { visitor: [1, 20], address: [5, 100] },
  upload: { visitor: [0.2, 20], address: [1, 60] },
  frame: { visitor: [20, 200] },
} as const satisfies Record<
  string,
  Partial<Record<'visitor' | 'address', readonly [number, number]>>
>;

export type Doing = keyof typeof RATES;

export interface Doer {
  /** The integration and the visitor. */
  visitor?: string;
  address?: string;
}

/** Counts what visitors do. Each node counts for itself. */
export class ChatLimits {
  readonly #limiters = new Map<string, Limiter>();

  /** Answers 0, or how many milliseconds too early it is. */
  take(doing: Doing, doer: Doer): Millis {
    const rates: Partial<Record<keyof Doer, readonly [number, number]>> = RATES[doing];
    const taken: [Limiter, string][] = [];
    for (const whose of ['visitor', 'address'] as const) {
      const rate = rates[whose];
      const key = doer[whose];
      if (!rate || key === undefined) continue;
      const limiter = this.#limiter(`${doing} ${whose}`, rate);
      const wait = limiter.take(key);
      if (wait > 0) {
        // What is not done is not counted.
        for (const [other, name] of taken) other.giveBack(name);
        return wait;
      }
      taken.push([limiter, key]);
    }
    return 0;
  }

  #limiter(name: string, [rate, burst]: readonly [number, number]): Limiter {
    const known = this.#limiters.get(name) ?? new Limiter(rate, burst);
    this.#limiters.set(name, known);
    return known;
  }
}
