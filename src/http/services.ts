import type { Outbound } from '../accept/outbound.ts';
import type { Check } from '../channels/channel.ts';
import type { Clock } from '../lib/clock.ts';
import type { Id } from '../model/id.ts';
import type { Integration } from '../model/integration.ts';
import type { Store } from '../store/store.ts';
import type { SignIn } from './sign-in.ts';
import type { Tokens } from './tokens.ts';

/** How delivery is told what the routes have changed. */
export interface DeliveryControl {
  /** A message may be sent, or sent again. */
  wake(integrationId: Id): void;
  /** An integration was made or changed. */
  changed(integrationId: Id): void;
  /** All integrations of an application may have changed. */
  changedAll(applicationId: Id): void;
  /** Asks the channel who the integration is. Undefined when the channel cannot be asked. */
  check(integration: Integration): Promise<Check | undefined>;
}

/** What the routes stand on. */
export interface Services {
  store: Store;
  clock: Clock;
  tokens: Tokens;
  signIn: SignIn;
  outbound: Outbound;
  delivery: DeliveryControl;
}
