import { type Kysely, sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import { sharesOf } from '../../model/policies/fair-share.ts';
import type { Millis } from '../../model/timestamp.ts';
import { appendEvents } from '../feed/events.ts';
import { Repository } from '../repository.ts';
import type { Node, PauseReason, Schema } from '../schema.ts';
import { type OwnedIntegration, claimFrom, claimable } from './claim.ts';
import { type DuePage, dueIntegrations } from './due-integrations.ts';
import { fail } from './health.ts';

const FORGET_AFTER_MS = 60 * 60 * 1000;

/** Integrations per statement, so that other statements run in between. */
export const MAX_AT_ONCE = 1_000;

export type { OwnedIntegration };

/** A node and the milliseconds left of its lease. */
export interface KnownNode extends Node {
  leaseLeftMs: Millis;
}

/** Integrations per node; those without owner under null. */
export type Counts = ReadonlyMap<string | null, number>;

/** An integration with the fencing number of its owner. */
type FencedIntegration = Pick<OwnedIntegration, 'applicationId' | 'integrationId' | 'fence'>;

export interface Pause {
  reason: PauseReason;
  detail: string;
  /** Null: until someone corrects the integration. */
  until: Millis | null;
}

/** Which node sends for an integration, for how long, and whether it is paused. */
export class Ownerships extends Repository {
  /** Registers a node or extends its lease to `lease` milliseconds from now. */
  async renew(node: Omit<Node, 'expiresAt'>, lease: number, now: Millis): Promise<void> {
    const expiresAt = this.engine.databaseNow(now, lease);
    const { role, ring } = node;
    await this.db
      .insertInto('nodes')
      .values({ ...node, expiresAt })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ expiresAt, role, ring }))
      .execute();
  }

  /** All known nodes with the time left of their leases. */
  nodes(now: Millis): Promise<KnownNode[]> {
    const databaseNow = this.engine.databaseNow(now);
    return this.db
      .selectFrom('nodes')
      .selectAll()
      .select(({ eb }) => eb('expiresAt', '-', databaseNow).as('leaseLeftMs'))
      .orderBy('startedAt')
      .execute();
  }

  /** The number of integrations per node and without owner. */
  counts(): Promise<Counts> {
    return this.#counts(this.db);
  }

  async #counts(db: Kysely<Schema>): Promise<Counts> {
    const rows = await db
      .selectFrom('ownerships')
      .select(({ fn }) => ['node', fn.countAll<number>().as('count')])
      .groupBy('node')
      .execute();
    return new Map(rows.map(({ node, count }) => [node, count]));
  }

  /** Up to `limit` integrations without owner. */
  async unowned(limit: number): Promise<Id[]> {
    const rows = await this.db
      .selectFrom('ownerships')
      .select('integrationId')
      .where('node', 'is', null)
      .orderBy('applicationId')
      .orderBy('integrationId')
      .limit(limit)
      .execute();
    return rows.map(({ integrationId }) => integrationId);
  }

  /** This node's shortfall compared with its fair share; negative means surplus. */
  shortfall(node: string, dead: readonly string[], now: Millis): Promise<number> {
    return this.#shortfall(this.db, node, dead, now, false);
  }

  async #shortfall(
    db: Kysely<Schema>,
    node: string,
    dead: readonly string[],
    now: Millis,
    isFirst: boolean,
  ): Promise<number> {
    let query = db
      .selectFrom('nodes')
      .select('id')
      .where('role', 'in', ['all', 'deliver'])
      .where('expiresAt', '>', this.engine.databaseNow(now));
    if (dead.length > 0) query = query.where('id', 'not in', dead);
    const claimants = await query.execute();
    // A single node claims everything, so nothing needs counting.
    if (claimants.length === 1 && claimants[0]?.id === node) return Number.MAX_SAFE_INTEGER;
    const counts = await this.#counts(db);
    const owned = claimants.map(({ id }) => [id, counts.get(id) ?? 0] as const);
    const total = counts.values().reduce((sum, count) => sum + count, 0);
    const share = sharesOf(new Map(owned), total, isFirst ? node : undefined).get(node);
    return share === undefined ? 0 : share - (counts.get(node) ?? 0);
  }

  /**
   * Claims integrations that have no owner, or whose owner's lease expired or process died: as many as this node
   * lacks, up to MAX_AT_ONCE. Each gets a new fencing number. Undefined if this node's own lease has expired: it may
   * claim nothing until it has renewed it.
   */
  async claim(
    node: string,
    dead: readonly string[],
    now: Millis,
  ): Promise<OwnedIntegration[] | undefined> {
    // Check first without a transaction: usually there is nothing to claim, and a transaction would block other
    // writers.
    const seen = await claimable(this.engine, this.db, node, dead, now);
    if (!seen || seen.isEmpty) return seen && [];
    return this.db.transaction().execute(async (trx) => {
      const found = await claimable(this.engine, trx, node, dead, now);
      if (!found || found.isEmpty) return found && [];
      const { gone } = found;
      const limit = Math.min(await this.#shortfall(trx, node, gone, now, true), MAX_AT_ONCE);
      const claimed: OwnedIntegration[] = [];
      for (const owner of [null, ...gone]) {
        if (claimed.length >= limit) break;
        const rest = limit - claimed.length;
        claimed.push(...(await claimFrom(this.engine, trx, owner, node, rest)));
      }
      return claimed;
    });
  }

  /** Everything that a node owns, read in pages by ownerships_by_node (node, application_id, integration_id). */
  async ownedBy(node: string): Promise<OwnedIntegration[]> {
    const owned: OwnedIntegration[] = [];
    for (let last: OwnedIntegration | undefined; ; last = owned.at(-1)) {
      const { applicationId = 0, integrationId = 0 } = last ?? {};
      const { rows } = await sql<OwnedIntegration>`
        select o.application_id, o.integration_id, o.fence,
          (select a.team_id from applications a where a.id = o.application_id) as team_id
        from ownerships o
        where o.node = ${node}
          and (o.application_id, o.integration_id) > (${applicationId}, ${integrationId})
        order by o.application_id, o.integration_id limit ${MAX_AT_ONCE}`.execute(this.db);
      owned.push(...rows);
      if (rows.length < MAX_AT_ONCE) return owned;
    }
  }

  /**
   * Deletes nodes that own nothing and are dead, or have not renewed their lease for so long that they cannot be
   * about to claim something.
   */
  async forget(dead: readonly string[], now: Millis): Promise<void> {
    await this.db
      .deleteFrom('nodes')
      .where(({ eb, or }) => {
        const isLongExpired = eb('expiresAt', '<=', this.engine.databaseNow(now, -FORGET_AFTER_MS));
        return dead.length > 0 ? or([isLongExpired, eb('id', 'in', dead)]) : isLongExpired;
      })
      // A scalar subquery: for `not exists`, PostgreSQL would read the whole index.
      .where(({ eb, selectFrom }) =>
        eb(
          selectFrom('ownerships')
            .select('integrationId')
            .whereRef('ownerships.node', '=', 'nodes.id')
            .limit(1),
          'is',
          null,
        ),
      )
      .execute();
  }

  /** Releases integrations for which nothing is in flight any more. */
  async releaseIntegrations(node: string, owned: readonly FencedIntegration[]): Promise<void> {
    await this.db
      .updateTable('ownerships')
      .set({ node: null })
      .where('node', '=', node)
      .where(({ eb, or, and }) =>
        or(
          owned.map(({ applicationId, integrationId, fence }) =>
            and([
              eb('applicationId', '=', applicationId),
              eb('integrationId', '=', integrationId),
              eb('fence', '=', fence),
            ]),
          ),
        ),
      )
      .execute();
  }

  /** Releases everything that a node owns, and deletes the node. */
  async releaseAll(node: string): Promise<void> {
    const owned = this.db.selectFrom('ownerships').select('integrationId').where('node', '=', node);
    // An incomplete batch does not end the loop: it may lack rows that a handoff released at the same time.
    while (await owned.limit(1).executeTakeFirst()) {
      await sql`update ownerships set node = null
        where node = ${node} and (application_id, integration_id) in
          (select application_id, integration_id from ownerships
            where node = ${node} limit ${MAX_AT_ONCE})`.execute(this.db);
    }
    await this.db.deleteFrom('nodes').where('id', '=', node).execute();
  }

  /**
   * Pauses an integration, unless its credentials are no longer those that the caller used: a refusal of old
   * credentials says nothing about new ones. Of several pauses, the longest applies. Returns whether this one does.
   */
  pause(
    { applicationId, integrationId, fence }: FencedIntegration,
    node: string,
    sealedCredentials: string,
    { reason, detail, until }: Pause,
    now: Millis,
  ): Promise<boolean> {
    return this.db.transaction().execute(async (trx) => {
      let query = trx
        .selectFrom('integrations')
        .select(['credentials', 'name'])
        .where('applicationId', '=', applicationId)
        .where('id', '=', integrationId);
      // Changes to the credentials either commit before this or wait for it.
      if (this.engine.name === 'postgres') query = query.forShare();
      const integration = await query.executeTakeFirst();
      if (integration?.credentials !== sealedCredentials) return false;
      const { numUpdatedRows } = await trx
        .updateTable('ownerships')
        .set({ pausedReason: reason, pausedDetail: detail, pausedUntil: until })
        .where((eb) => eb.and({ applicationId, integrationId, node, fence }))
        .where(({ eb, or }) => {
          const isFree = eb('pausedReason', 'is', null);
          const isLonger =
            until === null ? eb('pausedUntil', 'is not', null) : eb('pausedUntil', '<', until);
          return or([isFree, isLonger]);
        })
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return false;
      if (until !== null) return true;
      const { name } = integration;
      if (reason === 'gone' || reason === 'failing') {
        await fail(
          trx,
          { applicationId, integrationId, channel: name },
          { reason: 'transient', detail },
          now,
        );
        const data = JSON.stringify({ application_id: applicationId, reason, detail });
        const type = 'webhook.paused';
        await appendEvents(trx, [{ applicationId, type, data, media: null, createdAt: now }]);
      } else {
        await fail(
          trx,
          { applicationId, integrationId, channel: name },
          { reason: 'credentials', detail },
          now,
        );
      }
      return true;
    });
  }

  /** The clock moved backwards: moves due times and pauses of a node back by the same amount, but not before now. */
  async moveDueTimesBack(node: string, by: Millis, now: Millis): Promise<void> {
    const { db, name } = this.engine;
    // The order in which dispatch rounds lock lanes.
    const lock = name === 'postgres' ? sql`for update` : sql``;
    await sql`with late as (
        select application_id, integration_id, recipient from lanes
        where due_at > ${now} and (application_id, integration_id) in
          (select application_id, integration_id from ownerships where node = ${node})
        order by application_id, integration_id, recipient ${lock}
      )
      update lanes set due_at = case when due_at - ${by} > ${now} then due_at - ${by} else ${now} end
      where (application_id, integration_id, recipient) in
        (select application_id, integration_id, recipient from late)`.execute(db);
    await sql`update ownerships set paused_until =
        case when paused_until - ${by} > ${now} then paused_until - ${by} else ${now} end
      where node = ${node} and paused_until > ${now}`.execute(db);
  }

  /** The integrations of a node that have a due lane, in pages. */
  due(node: string, now: Millis, after?: DuePage['next']): Promise<DuePage> {
    return dueIntegrations(this.engine, node, now, after);
  }
}
