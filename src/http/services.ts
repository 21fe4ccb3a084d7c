import type { Outbound } from '../accept/outbound.ts';
import type { Clock } from '../lib/clock.ts';
import type { Store } from '../store/store.ts';
import type { SignIn } from './sign-in.ts';
import type { Tokens } from './tokens.ts';

/** What the routes stand on. */
export interface Services {
  store: Store;
  clock: Clock;
  tokens: Tokens;
  signIn: SignIn;
  outbound: Outbound;
}
