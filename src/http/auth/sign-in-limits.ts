import { digest } from '../../lib/crypto/digest.ts';
import { networkOf } from '../../lib/net/client-network.ts';
import type { Clock } from '../../lib/runtime/clock.ts';
import type { User } from '../../model/account.ts';
import { NO_ID } from '../../model/id.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { SignInBucket, SignInLimit } from '../../store/accounts/sign-in-attempts.ts';
import type { Store } from '../../store/store.ts';

const MINUTE_MS = 60_000;

/** For one account from one address. */
const PAIR_LIMIT: SignInLimit = { burst: 10, refillMs: MINUTE_MS };
/** For all accounts from one address. */
const ADDRESS_LIMIT: SignInLimit = { burst: 50, refillMs: 6_000 };
/** For one account from all addresses that never signed in to it. */
const ACCOUNT_LIMIT: SignInLimit = { burst: 100, refillMs: MINUTE_MS };

/** A counted guess. */
interface SignInAttempt {
  /** Milliseconds to wait before the next guess; 0 if this one may be checked. */
  waitMs: Millis;
  /** The password was right: uncounts the guess and remembers the address. */
  succeed(user: User): Promise<void>;
}

/**
 * Slows down password guessing without locking out the owner: an address that signed in before is limited by
 * its own guesses only. Guesses at unknown accounts count the same way, so callers cannot tell whether an
 * account exists.
 */
export class SignInLimits {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Counts the guess before it is checked, so that concurrent guesses count too. */
  async count(account: string, user: User | undefined, ip: string): Promise<SignInAttempt> {
    const { signInAttempts } = this.#store;
    const network = networkOf(ip);
    const knownWaitMs = await signInAttempts.spendKnown(
      user ?? { teamId: NO_ID, id: NO_ID },
      digest(network),
      PAIR_LIMIT,
      this.#clock.now(),
    );
    const succeed = (found: User) => this.remember(found, ip);
    if (knownWaitMs !== undefined) return { waitMs: knownWaitMs, succeed };
    const buckets: SignInBucket[] = [
      { key: `pair ${network} ${account}`, limit: PAIR_LIMIT },
      { key: `address ${network}`, limit: ADDRESS_LIMIT },
      { key: `account ${account}`, limit: ACCOUNT_LIMIT },
    ];
    return {
      waitMs: await signInAttempts.spend(buckets, this.#clock.now()),
      succeed: async (found) => {
        await signInAttempts.refund(buckets);
        await succeed(found);
      },
    };
  }

  /** Remembers that the user signed in from this address. */
  async remember(user: User, ip: string): Promise<void> {
    await this.#store.signInAttempts.remember(user, digest(networkOf(ip)), this.#clock.now());
  }
}
