import type { TestService } from './service.ts';
import { until } from './until.ts';

/** Waits until a node has looked who else is there. */
export async function looksAround({ store: { ownerships } }: TestService): Promise<void> {
  let hasLooked = false;
  // What a node does next, in each round.
  const forget = ownerships.forget.bind(ownerships);
  ownerships.forget = async (...args) => {
    hasLooked = true;
    return forget(...args);
  };
  await until('a node looks who is there', () => hasLooked);
  ownerships.forget = forget;
}
