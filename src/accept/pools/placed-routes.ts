import type { Id } from '../../model/id.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Store } from '../../store/store.ts';
import type { Draft } from '../draft.ts';
import type { PlacedRoute } from '../routed-message.ts';
import { resolveRoutes } from '../routes.ts';
import type { Candidate } from '../routing.ts';
import { PoolMembers, poolName, poolsOf, recipientFor } from './pool-members.ts';

/** The draft with its routes; undefined if it has none. A generator that names a pool is a route. */
export function routedDraft(draft: Draft): Draft | undefined {
  if (draft.routes) return draft;
  if (poolName(draft.activity.generator.id) === undefined) return undefined;
  return { ...draft, routes: [{ options: draft.options }], options: undefined };
}

/** Resolves the routes of drafts, with the members of pools in the order in which they are tried. */
export class PlacedRoutes {
  readonly #store: Store;
  readonly #members: PoolMembers;

  constructor(store: Store) {
    this.#store = store;
    this.#members = new PoolMembers(store);
  }

  /** Throws a Problem for the first invalid route. `willSend` is false for dry runs. */
  async of(
    applicationId: Id,
    draft: Draft,
    integrations: readonly Candidate[],
    { now, willSend }: { now: Millis; willSend: boolean },
  ): Promise<PlacedRoute[]> {
    const pools = await poolsOf(this.#store, applicationId, draft);
    const placed: PlacedRoute[] = [];
    for (const [position, one] of resolveRoutes(draft, integrations, pools).entries()) {
      const { pool: named, recipient } = one;
      if (!named) {
        placed.push({ ...one, position, poolId: null, failoverMs: null });
        continue;
      }
      const { pool, members } = named;
      const place = { position, poolId: pool.id, failoverMs: pool.failoverMs };
      const at = { now, willSend };
      for (const candidate of await this.#members.inOrder(
        pool,
        members,
        integrations,
        recipient,
        at,
      )) {
        const memberRecipient = recipientFor(candidate, recipient);
        const { activity } = one.draft;
        const addressed = { ...activity, to: { ...activity.to, id: memberRecipient } };
        const sent = { recipient: memberRecipient, draft: { ...one.draft, activity: addressed } };
        placed.push({ ...one, candidate, ...sent, ...place });
      }
    }
    return placed;
  }
}
