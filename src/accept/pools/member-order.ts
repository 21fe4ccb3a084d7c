import { createHash } from 'node:crypto';

import type { Id } from '../../model/id.ts';
import type { Pool, PoolMember, Strategy } from '../../model/sending/pool.ts';

/** Inputs for the order of the members. */
export interface PoolSituation {
  recipient: string;
  /** The member assigned to the recipient; undefined for a new recipient. */
  assigned: Id | undefined;
  isHealthy(integrationId: Id): boolean;
  /** Counts the choices of `round_robin`. */
  turn: number;
}

/**
 * The members in the order in which they are tried. A recipient stays with a healthy member; members that are not
 * healthy come last.
 */
export function orderMembers(
  { strategy, members }: Pick<Pool, 'strategy' | 'members'>,
  { recipient, assigned, isHealthy, turn }: PoolSituation,
): PoolMember[] {
  const ranked = rank(strategy, members, recipient, turn);
  const score = ({ integrationId }: PoolMember) =>
    (isHealthy(integrationId) ? 0 : 2) + (integrationId === assigned ? 0 : 1);
  return ranked.toSorted((a, b) => score(a) - score(b));
}

function rank(
  strategy: Strategy,
  members: readonly PoolMember[],
  recipient: string,
  turn: number,
): PoolMember[] {
  if (strategy === 'least_cost') {
    return members.toSorted((a, b) => Math.sign(priceOf(a) - priceOf(b)));
  }
  if (strategy === 'round_robin') {
    const first = turn % Math.max(members.length, 1);
    return [...members.slice(first), ...members.slice(0, first)];
  }
  if (strategy === 'order') return [...members];
  const scores = new Map(members.map((member) => [member, shareOf(member, recipient)]));
  return members.toSorted((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0));
}

/** Unknown prices come last. */
const priceOf = ({ priceMicros }: PoolMember): number => priceMicros ?? Number.MAX_SAFE_INTEGER;

/**
 * Rendezvous hashing with weights: each recipient ranks the members by hashes of the pair, so every node chooses the
 * same member, and a removed member moves only its own recipients.
 */
function shareOf({ integrationId, weight }: PoolMember, recipient: string): number {
  const digest = createHash('sha256').update(`${integrationId} ${recipient}`).digest();
  const uniform = (digest.readUIntBE(0, 6) + 1) / (2 ** 48 + 1);
  return -weight / Math.log(uniform);
}
