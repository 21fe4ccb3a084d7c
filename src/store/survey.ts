import { sql } from 'kysely';

import type { Millis } from '../model/timestamp.ts';
import type { Engine } from './engine.ts';
import { NODE_ROLES, type NodeRole, type PauseReason } from './schema.ts';

/** How everything stands that many integrations and nodes have in common. */
export interface StoreSurvey {
  /** How many nodes have a lease. */
  nodes: Record<NodeRole, number>;
  /** How many integrations no living node owns. */
  unowned: number;
  paused: Paused[];
  /** How many events were not brought forward to the endpoint of their application yet. */
  eventsBehind: number;
}

/** How many integrations of a channel send nothing for now, and why. */
export interface Paused {
  channel: string;
  reason: PauseReason;
  count: number;
}

/** Looks over the whole store, for those who run it. */
export class Survey {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async take(now: Millis): Promise<StoreSurvey> {
    return {
      nodes: await this.#nodes(now),
      unowned: await this.#unowned(now),
      paused: await this.#paused(now),
      eventsBehind: await this.#eventsBehind(),
    };
  }

  async #nodes(now: Millis): Promise<Record<NodeRole, number>> {
    const rows = await this.#engine.db
      .selectFrom('nodes')
      .select(({ fn }) => ['role', fn.countAll<number>().as('count')])
      .where('expiresAt', '>', this.#engine.present(now))
      .groupBy('role')
      .execute();
    const counts = new Map(rows.map(({ role, count }) => [role, count]));
    const entries = NODE_ROLES.map((role) => [role, counts.get(role) ?? 0]);
    return Object.fromEntries(entries) as Record<NodeRole, number>;
  }

  async #unowned(now: Millis): Promise<number> {
    const row = await this.#engine.db
      .selectFrom('ownerships as o')
      .leftJoin('nodes as n', 'n.id', 'o.node')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where(({ eb, or }) =>
        or([eb('n.id', 'is', null), eb('n.expiresAt', '<=', this.#engine.present(now))]),
      )
      .executeTakeFirst();
    return row?.count ?? 0;
  }

  async #paused(now: Millis): Promise<Paused[]> {
    const { rows } = await sql<Paused>`
      select i.name as channel, o.paused_reason as reason, count(*) as count
      from ownerships o
      join integrations i on i.application_id = o.application_id and i.id = o.integration_id
      where o.paused_reason is not null and (o.paused_until is null or o.paused_until > ${now})
      group by i.name, o.paused_reason`.execute(this.#engine.db);
    return rows;
  }

  async #eventsBehind(): Promise<number> {
    const { rows } = await sql<{ behind: number | string | null }>`
      select sum(f.last - e.cursor) as behind
      from endpoints e join feeds f on f.application_id = e.application_id`.execute(
      this.#engine.db,
    );
    return Number(rows[0]?.behind ?? 0);
  }
}
