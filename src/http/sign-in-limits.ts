import type { Clock } from '../lib/clock.ts';
import { digest } from '../lib/digest.ts';
import { networkOf } from '../lib/network-of.ts';
import type { User } from '../model/account.ts';
import { NO_ID } from '../model/id.ts';
import type { Millis } from '../model/timestamp.ts';
import type { GuessBucket, GuessLimit } from '../store/guesses.ts';
import type { Store } from '../store/store.ts';

const MINUTE_MS = 60_000;

/** For one account from one address. */
export const PAIR_LIMIT: GuessLimit = { burst: 10, everyMs: MINUTE_MS };
/** For all accounts from one address. */
export const ADDRESS_LIMIT: GuessLimit = { burst: 50, everyMs: 6_000 };
/** For one account from all addresses that never signed in to it. */
export const ACCOUNT_LIMIT: GuessLimit = { burst: 100, everyMs: MINUTE_MS };

/** A guess that was counted. */
export interface Guess {
  /** Milliseconds to wait before the next one; 0 when this one may be judged. */
  waitMs: Millis;
  /** The password was right: its guess no longer counts, and the address is known from now on. */
  succeed(user: User): Promise<void>;
}

/**
 * Slows down those who guess passwords, without locking out the rightful user: an address that signed in before is
 * judged by its own guesses alone. Guesses at unknown accounts count the same way, so callers cannot tell whether an
 * account exists.
 */
export class SignInLimits {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Counted before it is judged, so that guesses made at the same moment count too. */
  async count(account: string, user: User | undefined, ip: string): Promise<Guess> {
    const { guesses } = this.#store;
    const network = networkOf(ip);
    const known = await guesses.takeKnown(
      user ?? { teamId: NO_ID, id: NO_ID },
      digest(network),
      PAIR_LIMIT,
      this.#clock.now(),
    );
    const succeed = (found: User) => this.remember(found, ip);
    if (known !== undefined) return { waitMs: known, succeed };
    const buckets: GuessBucket[] = [
      { key: `pair ${network} ${account}`, limit: PAIR_LIMIT },
      { key: `address ${network}`, limit: ADDRESS_LIMIT },
      { key: `account ${account}`, limit: ACCOUNT_LIMIT },
    ];
    return {
      waitMs: await guesses.take(buckets, this.#clock.now()),
      succeed: async (found) => {
        await guesses.giveBack(buckets);
        await succeed(found);
      },
    };
  }

  /** Somebody signed in as this user from there. */
  async remember(user: User, ip: string): Promise<void> {
    await this.#store.guesses.remember(user, digest(networkOf(ip)), this.#clock.now());
  }
}
