import type { Id } from '../id.ts';
import type { Millis } from '../timestamp.ts';

/**
 * How a pool chooses the member of a new recipient. `order`: the first healthy one; `weighted`: by shares;
 * `round_robin`: each in turn; `least_cost`: the cheapest.
 */
export const STRATEGIES = ['order', 'weighted', 'round_robin', 'least_cost'] as const;

export type Strategy = (typeof STRATEGIES)[number];

export interface PoolMember {
  integrationId: Id;
  /** Its share, with the strategy `weighted`. */
  weight: number;
  /** Per message, in millionths; null if unknown. */
  priceMicros: number | null;
}

/** Integrations that reach the same addresses and stand in for one another. */
export interface Pool {
  applicationId: Id;
  id: Id;
  /** Messages name it as `pool:NAME`. */
  name: string;
  strategy: Strategy;
  /** How long a member may keep a message waiting before the next one sends it. */
  failoverMs: Millis;
  members: readonly PoolMember[];
  createdAt: Millis;
  updatedAt: Millis;
}

export const DEFAULT_FAILOVER_MS: Millis = 30_000;
