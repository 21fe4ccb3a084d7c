import { type Kysely, sql } from 'kysely';

import type { Id } from '../model/id.ts';
import { sharesOf } from '../model/spread.ts';
import type { Millis } from '../model/timestamp.ts';
import { claimable, ownedByNone } from './claiming.ts';
import type { Engine } from './engine.ts';
import { appendEvents } from './events.ts';
import { ENDPOINT } from './integrations.ts';
import type { Node, PauseReason, Schema } from './schema.ts';

const FORGOTTEN_AFTER = 60 * 60 * 1000;

/** What a node may send for from now on. */
export interface Owned {
  integrationId: Id;
  applicationId: Id;
  /** Whose application it is; null when the application is gone. */
  teamId: Id | null;
  fence: number;
}

/** A node, and how many milliseconds are left of its lease. */
export interface KnownNode extends Node {
  left: Millis;
}

/** How many integrations each node owns; under null, those that nobody does. */
export type Counts = ReadonlyMap<string | null, number>;

interface Failing {
  integrationId: Id;
  applicationId: Id;
  name: string;
  reason: PauseReason;
  detail: string;
}

/** An integration as its owner knows it. */
type Fenced = Pick<Owned, 'applicationId' | 'integrationId' | 'fence'>;

export interface Pause {
  reason: PauseReason;
  detail: string;
  /** Until somebody corrects the integration, where it is null. */
  until: Millis | null;
}

/** Which node alone sends for an integration, for how long, and whether it may. */
export class Ownerships {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Makes a node known, or known for longer: `lease` milliseconds from now. */
  async renew(node: Omit<Node, 'expiresAt'>, lease: number, now: Millis): Promise<void> {
    const expiresAt = this.#engine.present(now, lease);
    const { role } = node;
    await this.#engine.db
      .insertInto('nodes')
      .values({ ...node, expiresAt })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ expiresAt, role }))
      .execute();
  }

  /** All nodes that are known, and how much is left of the lease of each. */
  nodes(now: Millis): Promise<KnownNode[]> {
    const present = this.#engine.present(now);
    return this.#engine.db
      .selectFrom('nodes')
      .selectAll()
      .select(({ eb }) => eb('expiresAt', '-', present).as('left'))
      .orderBy('startedAt')
      .execute();
  }

  /** How many integrations each node owns, and how many nobody does. */
  counts(): Promise<Counts> {
    return this.#counts(this.#engine.db);
  }

  async #counts(db: Kysely<Schema>): Promise<Counts> {
    const rows = await db
      .selectFrom('ownerships')
      .select(({ fn }) => ['node', fn.countAll<number>().as('count')])
      .groupBy('node')
      .execute();
    return new Map(rows.map(({ node, count }) => [node, count]));
  }

  /** The integrations that nobody owns, so many at the most. */
  async unowned(limit: number): Promise<Id[]> {
    const rows = await this.#engine.db
      .selectFrom('ownerships')
      .select('integrationId')
      .where('node', 'is', null)
      .orderBy('integrationId')
      .limit(limit)
      .execute();
    return rows.map(({ integrationId }) => integrationId);
  }

  /** How many integrations a node lacks to own as many as any other; below zero, how many it has too many. */
  lacks(node: string, dead: readonly string[], now: Millis): Promise<number> {
    return this.#lacks(this.#engine.db, node, dead, now, false);
  }

  async #lacks(
    db: Kysely<Schema>,
    node: string,
    dead: readonly string[],
    now: Millis,
    isFirst: boolean,
  ): Promise<number> {
    const counts = await this.#counts(db);
    let takers = db
      .selectFrom('nodes')
      .select('id')
      .where('role', 'in', ['all', 'deliver'])
      .where('expiresAt', '>', this.#engine.present(now));
    if (dead.length > 0) takers = takers.where('id', 'not in', dead);
    const owned = (await takers.execute()).map(({ id }) => [id, counts.get(id) ?? 0] as const);
    const total = counts.values().reduce((sum, count) => sum + count, 0);
    const share = sharesOf(new Map(owned), total, isFirst ? node : undefined).get(node);
    return share === undefined ? 0 : share - (counts.get(node) ?? 0);
  }

  /**
   * Takes of what nobody owns, and of what is owned by nodes whose lease has lapsed or who are known to be
   * dead, as much as this node lacks. Each gets a new fencing number. Undefined when the lease of the node
   * itself has lapsed: it may take nothing until it is renewed.
   */
  async claim(node: string, dead: readonly string[], now: Millis): Promise<Owned[] | undefined> {
    // Mostly there is nothing to take, and a transaction would keep all others waiting to find that out.
    const seen = await claimable(this.#engine, this.#engine.db, node, dead, now);
    if (!seen || seen.isNone) return seen && [];
    return this.#engine.db.transaction().execute(async (trx) => {
      const found = await claimable(this.#engine, trx, node, dead, now);
      if (!found || found.isNone) return found && [];
      const { gone } = found;
      const lacks = await this.#lacks(trx, node, gone, now, true);
      if (lacks <= 0) return [];
      let free = ownedByNone(trx, gone).limit(lacks);
      // What somebody is just busy with is taken the next time.
      if (this.#engine.name === 'postgres') free = free.forUpdate().skipLocked();
      const taken = await trx
        .updateTable('ownerships')
        .set(({ eb }) => ({ node, fence: eb('fence', '+', 1) }))
        .where(({ eb, refTuple }) =>
          eb(
            refTuple('applicationId', 'integrationId'),
            'in',
            free.$asTuple('applicationId', 'integrationId'),
          ),
        )
        .returning('integrationId')
        .execute();
      if (taken.length === 0) return [];
      const ids = new Set(taken.map(({ integrationId }) => integrationId));
      const owned = await this.#ownedBy(trx, node);
      return owned.filter(({ integrationId }) => ids.has(integrationId));
    });
  }

  /** All that a node owns. */
  ownedBy(node: string): Promise<Owned[]> {
    return this.#ownedBy(this.#engine.db, node);
  }

  #ownedBy(db: Kysely<Schema>, node: string): Promise<Owned[]> {
    return db
      .selectFrom('ownerships as o')
      .leftJoin('applications as a', 'a.id', 'o.applicationId')
      .select(['o.integrationId', 'o.applicationId', 'a.teamId', 'o.fence'])
      .where('o.node', '=', node)
      .execute();
  }

  /**
   * Forgets nodes that own nothing: those that are dead, and those that have not been heard of for much
   * longer than any lease, so that none of them can be just about to take something.
   */
  async forget(dead: readonly string[], now: Millis): Promise<void> {
    await this.#engine.db
      .deleteFrom('nodes')
      .where(({ eb, or }) => {
        const long = eb('expiresAt', '<=', this.#engine.present(now, -FORGOTTEN_AFTER));
        return dead.length > 0 ? or([long, eb('id', 'in', dead)]) : long;
      })
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('ownerships')
              .select('integrationId')
              .whereRef('ownerships.node', '=', 'nodes.id'),
          ),
        ),
      )
      .execute();
  }

  /** Lets go of some of what a node owns: nothing is under way for it any more. */
  async letGo(node: string, owned: readonly Fenced[]): Promise<void> {
    await this.#engine.db
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

  /** Lets go of everything that a node owns. */
  async release(node: string): Promise<void> {
    await this.#engine.db.transaction().execute(async (trx) => {
      await trx.updateTable('ownerships').set({ node: null }).where('node', '=', node).execute();
      await trx.deleteFrom('nodes').where('id', '=', node).execute();
    });
  }

  /**
   * Pauses an integration, unless its credentials are no longer the ones that the caller used: what was
   * learned with old credentials says nothing about new ones. Of several pauses the longest counts.
   * Answers whether this one does.
   */
  pause(
    { applicationId, integrationId, fence }: Fenced,
    node: string,
    sealedCredentials: string,
    { reason, detail, until }: Pause,
    now: Millis,
  ): Promise<boolean> {
    return this.#engine.db.transaction().execute(async (trx) => {
      let query = trx
        .selectFrom('integrations')
        .select(['credentials', 'name'])
        .where('applicationId', '=', applicationId)
        .where('id', '=', integrationId);
      // Whoever changes them is through before this is, or comes after it.
      if (this.#engine.name === 'postgres') query = query.forShare();
      const integration = await query.executeTakeFirst();
      if (integration?.credentials !== sealedCredentials) return false;
      const { numUpdatedRows } = await trx
        .updateTable('ownerships')
        .set({ pausedReason: reason, pausedDetail: detail, pausedUntil: until })
        .where('applicationId', '=', applicationId)
        .where('integrationId', '=', integrationId)
        .where('node', '=', node)
        .where('fence', '=', fence)
        .where(({ eb, or }) => {
          const isFree = eb('pausedReason', 'is', null);
          const isLonger =
            until === null ? eb('pausedUntil', 'is not', null) : eb('pausedUntil', '<', until);
          return or([isFree, isLonger]);
        })
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return false;
      if (until === null) {
        const { name } = integration;
        const failing = { integrationId, applicationId, name, reason, detail };
        await this.#fail(trx, failing, now);
      }
      return true;
    });
  }

  /** Tells, once, that an integration sends no more until somebody sees to it. */
  async #fail(
    trx: Kysely<Schema>,
    { integrationId, applicationId, name, reason, detail }: Failing,
    now: Millis,
  ): Promise<void> {
    const { numUpdatedRows } = await trx
      .updateTable('ownerships')
      .set({ failingSince: now })
      .where('applicationId', '=', applicationId)
      .where('integrationId', '=', integrationId)
      .where('failingSince', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    const isEndpoint = reason === 'gone' || reason === 'failing';
    const type = isEndpoint ? 'webhook.paused' : 'integration.failing';
    const whose = isEndpoint ? {} : { integration_id: integrationId, channel: name };
    const data = JSON.stringify({ application_id: applicationId, ...whose, reason, detail });
    await appendEvents(trx, [{ applicationId, type, data, media: null, createdAt: now }]);
  }

  /** Tells that an integration which failed has sent something again. */
  recovered({ applicationId, integrationId, fence }: Fenced, now: Millis): Promise<void> {
    return this.#engine.db.transaction().execute(async (trx) => {
      const ownership = await trx
        .updateTable('ownerships')
        .set({ failingSince: null })
        .where('applicationId', '=', applicationId)
        .where('integrationId', '=', integrationId)
        .where('fence', '=', fence)
        .where('failingSince', 'is not', null)
        .returning('applicationId')
        .executeTakeFirst();
      const integration = await trx
        .selectFrom('integrations')
        .select('name')
        .where('applicationId', '=', applicationId)
        .where('id', '=', integrationId)
        .executeTakeFirst();
      if (!ownership || !integration || integration.name === ENDPOINT) return;
      const whose = { integration_id: integrationId, channel: integration.name };
      const data = JSON.stringify({ application_id: applicationId, ...whose });
      const type = 'integration.recovered';
      await appendEvents(trx, [{ applicationId, type, data, media: null, createdAt: now }]);
    });
  }

  /** The date was set back: what a node waits for comes as much earlier, but not before now. */
  async setBack(node: string, by: Millis, now: Millis): Promise<void> {
    const { db, name } = this.#engine;
    // In the order in which turns lock lanes.
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

  /** The integrations of a node that have something to send, and since when it is due. */
  async due(node: string, now: Millis): Promise<{ integrationId: Id; dueAt: Millis }[]> {
    const { db, name } = this.#engine;
    const { rows } = await sql<{ integrationId: Id; dueAt: Millis }>`
      with recursive ${name === 'postgres' ? FIRST_OF_EACH : FIRST_OF_EACH_EMBEDDED}
      select o.integration_id, f.due_at
      from first_due f
      join ownerships o on o.application_id = f.application_id and o.integration_id = f.integration_id
      join integrations i on i.application_id = f.application_id and i.id = f.integration_id
        and i.state = 'enable'
      join applications a on a.id = f.application_id and a.state = 'enable'
      where f.due_at <= ${now} and o.node = ${node}
        and (o.paused_reason is null or o.paused_until <= ${now})`.execute(db);
    return rows;
  }
}

/* When the first lane of each integration is due: from one integration to the next by the index, whatever waits. */
const FIRST_OF_EACH = sql`first_due (application_id, integration_id, due_at) as (
    (select application_id, integration_id, due_at from lanes where due_at is not null
      order by application_id, integration_id, due_at limit 1)
    union all
    select l.* from first_due f cross join lateral (select application_id, integration_id, due_at from lanes
      where due_at is not null and (application_id, integration_id) > (f.application_id, f.integration_id)
      order by application_id, integration_id, due_at limit 1) l
  )`;
const FIRST_OF_EACH_EMBEDDED = sql`busy (id) as (
    select min(integration_id) from lanes
    union all
    select (select min(integration_id) from lanes where integration_id > busy.id)
    from busy where busy.id is not null
  ), first_due as (
    select o.application_id, o.integration_id,
      (select min(due_at) from lanes where integration_id = busy.id and due_at is not null) as due_at
    from busy join ownerships o on o.integration_id = busy.id
  )`;
