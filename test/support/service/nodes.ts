import type { Store } from '../../../src/store/store.ts';
import { until } from '../until.ts';
import type { TestService } from './service.ts';

/** The rounds in which a node claims integrations. */
export interface Rounds {
  ended: number;
  /** The next round is not scheduled before this one has ended. */
  isRunning: boolean;
}

export function watchRounds({ ownerships }: Store): Rounds {
  const rounds: Rounds = { ended: 0, isRunning: false };
  const claim = ownerships.claim.bind(ownerships);
  ownerships.claim = async (...args) => {
    rounds.isRunning = true;
    try {
      return await claim(...args);
    } catch (error) {
      rounds.isRunning = false;
      throw error;
    }
  };
  const forget = ownerships.forget.bind(ownerships);
  ownerships.forget = async (...args) => {
    try {
      await forget(...args);
    } finally {
      rounds.isRunning = false;
    }
    rounds.ended++;
  };
  // Some rounds end with it.
  const ownedBy = ownerships.ownedBy.bind(ownerships);
  ownerships.ownedBy = async (...args) => {
    rounds.isRunning = true;
    try {
      return await ownedBy(...args);
    } finally {
      rounds.isRunning = false;
    }
  };
  return rounds;
}

const HOUR_MS = 3_600_000;

/** For nodes whose clock stands still: they do not renew their leases, and others do not signal a node without one. */
export async function extendLeases({ store }: TestService): Promise<void> {
  await store.engine.db
    .updateTable('nodes')
    .set(({ eb }) => ({ expiresAt: eb('expiresAt', '+', HOUR_MS) }))
    .execute();
}

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
