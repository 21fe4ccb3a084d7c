import { consentAddressOf } from '../../channels/consent-address.ts';
import type { Id } from '../../model/id.ts';
import { Problem } from '../../model/problem.ts';
import type { Pool } from '../../model/sending/pool.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Store } from '../../store/store.ts';
import type { Draft } from '../draft.ts';
import { type Candidate, recipientFault } from '../routing.ts';
import { orderMembers } from './member-order.ts';

const PREFIX = 'pool:';

/** An assignment that is used is kept: its time is renewed once a day. */
const RENEW_MS = 24 * 60 * 60 * 1000;

/** The name of the pool that a route or generator names; undefined if it names none. */
export function poolName(via: unknown): string | undefined {
  return typeof via === 'string' && via.startsWith(PREFIX) ? via.slice(PREFIX.length) : undefined;
}

/** The pools that a draft names, by their names. */
export async function poolsOf(
  store: Store,
  applicationId: Id,
  { activity, routes = [] }: Draft,
): Promise<Map<string, Pool>> {
  const names = [activity.generator.id, ...routes.map(({ via }) => via)].flatMap(
    (via) => poolName(via) ?? [],
  );
  const pools = new Map<string, Pool>();
  for (const name of new Set(names)) {
    const pool = await store.pools.named(applicationId, name);
    if (pool) pools.set(name, pool);
  }
  return pools;
}

/**
 * The enabled members of a pool; throws a Problem if there is none, or if a member has another channel or mode since the
 * pool was stored: it would send to a stranger, whose consent is another one.
 */
export function membersOf(
  name: string,
  pool: Pool | undefined,
  integrations: readonly Candidate[],
  pointer: string,
): Candidate[] {
  const refuse = (code: 'no_integration' | 'integration_disabled', detail: string) =>
    new Problem(code, detail, { errors: [{ pointer, detail }] });
  if (!pool) throw refuse('no_integration', `the application has no pool ${name}`);
  const members = pool.members.flatMap(
    ({ integrationId }) => integrations.find(({ id }) => id === integrationId) ?? [],
  );
  if (!areInterchangeable(members)) {
    throw refuse('no_integration', `the members of the pool ${name} reach different addresses now`);
  }
  const enabled = members.filter(({ state }) => state === 'enable');
  if (enabled.length > 0) return enabled;
  throw members.length > 0
    ? refuse('integration_disabled', `all members of the pool ${name} are disabled`)
    : refuse('no_integration', `the pool ${name} has no members`);
}

/**
 * Whether integrations reach the same addresses, written in the same way. Phone numbers are the same for all providers
 * of SMS.
 */
export function areInterchangeable(members: readonly Candidate[]): boolean {
  const kinds = new Set(
    members.map(({ channel, name, mode }) => {
      if (!channel) return name;
      const { family } = consentAddressOf(channel, '+15005550006', mode);
      return family.endsWith('sms') ? `${mode} sms` : `${mode} ${name}`;
    }),
  );
  return kinds.size <= 1;
}

/** The recipient as this member's channel writes it: providers of SMS write numbers with or without a plus. */
export function recipientFor({ channel }: Candidate, recipient: string): string {
  if (!channel || recipientFault(channel, recipient) === undefined) return recipient;
  const other = recipient.startsWith('+') ? recipient.slice(1) : `+${recipient}`;
  return recipientFault(channel, other) === undefined ? other : recipient;
}

/** Chooses members of pools for recipients. */
export class PoolMembers {
  readonly #store: Store;
  readonly #turns = new Map<Id, number>();

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * The enabled members in the order in which they are tried. The first becomes the recipient's, if `willSend`. The member of
   * the recipient stays the first, even if it is failing or disabled, while messages wait there: they must not be overtaken.
   */
  async inOrder(
    pool: Pool,
    enabled: readonly Candidate[],
    integrations: readonly Candidate[],
    written: string,
    { now, willSend }: { now: Millis; willSend: boolean },
  ): Promise<Candidate[]> {
    const { applicationId, id: poolId, strategy } = pool;
    const recipient = addressOf(enabled, written);
    const { assigned, unhealthy } = await this.#store.pools.situation(pool, recipient, now);
    const former = integrations.find(({ id }) => id === assigned?.integrationId);
    const isHealthy = former?.state === 'enable' && !unhealthy.includes(former.id);
    const hasWaiting = former && !isHealthy && (await this.#hasWaiting(pool, former, written));
    const kept = hasWaiting ? former.id : undefined;
    const candidates = hasWaiting && former.state !== 'enable' ? [...enabled, former] : enabled;
    const turn = this.#turns.get(poolId) ?? 0;
    if (strategy === 'round_robin' && willSend && !assigned) this.#turns.set(poolId, turn + 1);
    const members = orderMembers(pool, {
      recipient,
      assigned: assigned?.integrationId,
      isHealthy: (id) => !unhealthy.includes(id) || id === kept,
      turn,
    });
    const ordered = members.flatMap(
      ({ integrationId }) => candidates.find(({ id }) => id === integrationId) ?? [],
    );
    const [first] = ordered;
    const isKept =
      assigned?.integrationId === first?.id && (assigned?.updatedAt ?? 0) > now - RENEW_MS;
    if (first && willSend && !isKept) {
      await this.#store.pools.assign({ applicationId, poolId, recipient }, first.id, now);
    }
    return ordered;
  }

  #hasWaiting({ applicationId }: Pool, member: Candidate, written: string): Promise<boolean> {
    const { id: integrationId, channel } = member;
    const own = recipientFor(member, written);
    const recipient = channel?.recipient.normalize?.(own) ?? own;
    return this.#store.pools.hasWaiting({ applicationId, integrationId, recipient });
  }
}

/** The recipient's address in one form, independent of the member that it was written for. */
function addressOf([first]: readonly Candidate[], written: string): string {
  return first?.channel ? consentAddressOf(first.channel, written, first.mode).address : written;
}
