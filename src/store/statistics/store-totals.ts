import { type RawBuilder, sql } from 'kysely';

import type { Millis } from '../../model/timestamp.ts';
import { Repository } from '../repository.ts';
import { NODE_ROLES, type NodeRole, type PauseReason } from '../schema.ts';
import { endpointRanges } from '../upkeep/endpoint-ranges.ts';

/** Totals over all integrations and nodes. */
export interface StoreTotals {
  /** Nodes with a valid lease, by role. */
  nodes: Record<NodeRole, number>;
  /** Integrations without a living owner. */
  unowned: number;
  paused: Paused[];
  failing: FailingCount[];
  /** The same for those that fail to receive. */
  notReceiving: FailingCount[];
  /** Events that were not copied to their endpoint's queue yet. */
  eventsBehind: number;
}

/** The number of paused integrations per channel and reason. */
export interface Paused {
  channel: string;
  reason: PauseReason;
  count: number;
}

/** The number of enabled, failing integrations per channel. Paused ones count as paused. */
export interface FailingCount {
  channel: string;
  count: number;
}

/**
 * Statistics over the whole store, for the operator. `cross join` makes SQLite start with the few integrations that
 * are paused or failing; without statistics it would start with all integrations.
 */
export class StoreTotalsReader extends Repository {
  async run(now: Millis): Promise<StoreTotals> {
    return {
      nodes: await this.#nodes(now),
      unowned: await this.#unowned(now),
      paused: await this.#paused(now),
      failing: await this.#failing(sql`o.failing_since`),
      notReceiving: await this.#failing(sql`o.receiving_failing_since`),
      eventsBehind: await this.#eventsBehind(),
    };
  }

  async #nodes(now: Millis): Promise<Record<NodeRole, number>> {
    const rows = await this.db
      .selectFrom('nodes')
      .select(({ fn }) => ['role', fn.countAll<number>().as('count')])
      .where('expiresAt', '>', this.engine.databaseNow(now))
      .groupBy('role')
      .execute();
    const counts = new Map(rows.map(({ role, count }) => [role, count]));
    const entries = NODE_ROLES.map((role) => [role, counts.get(role) ?? 0]);
    return Object.fromEntries(entries) as Record<NodeRole, number>;
  }

  /** Counts per owner first, so that integrations of living nodes are not visited. */
  async #unowned(now: Millis): Promise<number> {
    const expired = await this.db
      .selectFrom('nodes')
      .select('id')
      .where('expiresAt', '<=', this.engine.databaseNow(now))
      .execute();
    let unowned = 0;
    for (const node of [null, ...expired.map(({ id }) => id)]) {
      const { count } = await this.db
        .selectFrom('ownerships')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('node', node === null ? 'is' : '=', node)
        .executeTakeFirstOrThrow();
      unowned += count;
    }
    return unowned;
  }

  async #paused(now: Millis): Promise<Paused[]> {
    const { rows } = await sql<Paused>`
      select i.name as channel, o.paused_reason as reason, count(*) as count
      from ownerships o cross join integrations i
      where i.application_id = o.application_id and i.id = o.integration_id
        and i.mode = 'live' and o.paused_reason is not null and (o.paused_until is null or o.paused_until > ${now})
      group by i.name, o.paused_reason`.execute(this.db);
    return rows;
  }

  async #failing(since: RawBuilder<unknown>): Promise<FailingCount[]> {
    const { rows } = await sql<FailingCount>`select i.name as channel, count(*) as count
      from ownerships o cross join integrations i cross join applications a
      where i.application_id = o.application_id and i.id = o.integration_id
        and a.id = o.application_id
        and ${since} is not null and i.mode = 'live' and i.state = 'enable' and a.state = 'enable'
        and (o.paused_reason is null or o.paused_until is not null)
      group by i.name`.execute(this.db);
    return rows;
  }

  async #eventsBehind(): Promise<number> {
    let behind = 0;
    for await (const { after, upTo } of endpointRanges(this.db)) {
      const { rows } = await sql<{ behind: number | string | null }>`
        select sum(f.last - e.cursor) as behind
        from endpoints e cross join feeds f
        where f.application_id = e.application_id
          and e.application_id > ${after} and e.application_id <= ${upTo}`.execute(this.db);
      behind += Number(rows[0]?.behind ?? 0);
    }
    return behind;
  }
}
