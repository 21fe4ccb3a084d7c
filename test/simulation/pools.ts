import { PoolMembers, membersOf } from '../../src/accept/pools/pool-members.ts';
import type { Candidate } from '../../src/accept/routing.ts';
import type { Channel } from '../../src/channels/channel.ts';
import type { IntegrationOutline } from '../../src/model/integration.ts';
import type { Store } from '../../src/store/store.ts';

/** Nothing else refers to the pool. */
export const POOL_ID = 1;
export const FAILOVER_MS = 6_000;

/** The place of a message among those that a pool sends to a person. */
export interface PoolPlace {
  recipient: string;
  place: number;
}

/** A pool of all integrations, which chooses their order for each message. */
export class SimulatedPool {
  readonly #store: Store;
  readonly #applicationId: number;
  readonly #channel: Channel;
  readonly #members: PoolMembers;
  #places = 0;

  constructor(store: Store, applicationId: number, channel: Channel) {
    this.#store = store;
    this.#applicationId = applicationId;
    this.#channel = channel;
    this.#members = new PoolMembers(store);
  }

  /** The integrations in the order in which they are tried; undefined if none is enabled. */
  async order(recipient: string, now: number): Promise<number[] | undefined> {
    const own = { applicationId: this.#applicationId, id: POOL_ID, name: 'pool' } as const;
    const byApplication = await this.#store.integrations.listOutlines([this.#applicationId]);
    const outlines = byApplication.get(this.#applicationId) ?? [];
    const candidates = outlines.map((one) => this.#candidate(one));
    if (!candidates.some(({ state }) => state === 'enable')) return undefined;
    const members = candidates
      .map(({ id: integrationId }) => ({ integrationId, weight: 1, priceMicros: null }))
      .toSorted((a, b) => a.integrationId - b.integrationId);
    const dates = { createdAt: now, updatedAt: now };
    const pool = { ...own, strategy: 'order', failoverMs: FAILOVER_MS, members, ...dates } as const;
    const usable = membersOf('pool', pool, candidates, '');
    const ordered = await this.#members.inOrder(pool, usable, candidates, recipient, {
      now,
      willSend: true,
    });
    return ordered.map(({ id }) => id);
  }

  #candidate(outline: IntegrationOutline): Candidate {
    return { ...outline, channel: this.#channel, missing: [] };
  }

  nextPlace(recipient: string): PoolPlace {
    return { recipient, place: ++this.#places };
  }
}

/** Messages of a pool that were sent after a later one to the same person. */
export function overtaken(
  arrived: readonly { messageId: number; pool?: PoolPlace | undefined }[],
): number[] {
  const last = new Map<string, number>();
  return arrived.flatMap(({ messageId, pool }) => {
    if (!pool) return [];
    const before = last.get(pool.recipient) ?? 0;
    last.set(pool.recipient, Math.max(before, pool.place));
    return pool.place < before ? [messageId] : [];
  });
}
