import { until } from '../until.ts';
import type { TestService } from './service.ts';

/** Waits until a node has looked up the other nodes. */
export async function looksAround({ store: { ownerships } }: TestService): Promise<void> {
  let hasLooked = false;
  // The next thing that a node does in each round.
  const forget = ownerships.forget.bind(ownerships);
  ownerships.forget = async (...args) => {
    hasLooked = true;
    return forget(...args);
  };
  await until('the node looks up the others', () => hasLooked);
  ownerships.forget = forget;
}
