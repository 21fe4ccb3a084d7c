import { type RawBuilder, sql } from 'kysely';

import type { Id } from '../model/id.ts';
import type { Millis } from '../model/timestamp.ts';
import { FEED } from './endpoints.ts';
import type { Engine } from './engine.ts';
import { inState } from './message-filter.ts';
import type { Ownership } from './schema.ts';
import type { Scope } from './statistics.ts';

/** How many messages of one application are counted at the most. */
export const MOST_COUNTED = 10_000;

/** How many messages of an application are in some state, and when the oldest of them was accepted. */
export interface Queue {
  applicationId: Id;
  count: number;
  oldest: Millis | null;
}

/** An integration that sends nothing, or did not; `name` is its channel. */
export type Halted = Pick<
  Ownership,
  | 'applicationId'
  | 'integrationId'
  | 'pausedReason'
  | 'pausedDetail'
  | 'pausedUntil'
  | 'failingSince'
> & { name: string };

/** A webhook that is tried again. */
export interface Retried {
  applicationId: Id;
  since: Millis;
  nextAt: Millis | null;
  detail: string | null;
}

/** How things stand just now with the applications of a team, or one of them. */
export class Overview {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Those of the applications that have any; of each, no more than MOST_COUNTED are counted. */
  async queues(scope: Scope, state: 'queued' | 'uncertain'): Promise<Queue[]> {
    const own = sql`from messages m where m.application_id = a.id and m.type <> 'Event' and ${inState(state)}`;
    const { rows } = await sql<Queue>`select * from (select a.id as application_id,
        (select count(*) from (select 1 ${own} limit ${MOST_COUNTED}) as counted) as count,
        (select m.created_at ${own} order by m.created_at, m.id limit 1) as oldest
        from applications a where ${within(scope)}) as q
      where oldest is not null order by application_id`.execute(this.#engine.db);
    return rows;
  }

  /** How many messages wait for an integration; no more than MOST_COUNTED are counted. */
  async waiting(applicationId: Id, integrationId: Id): Promise<number> {
    const { rows } = await sql<{ count: number }>`select count(*) as count from
      (select 1 from messages m where m.application_id = ${applicationId}
        and m.integration_id = ${integrationId} and ${inState('queued')} limit ${MOST_COUNTED}) as counted`.execute(
      this.#engine.db,
    );
    return rows[0]?.count ?? 0;
  }

  /** Enabled integrations that are paused, or whose credentials were refused; the webhook is one of them. */
  async halted(scope: Scope): Promise<Halted[]> {
    const { rows } =
      await sql<Halted>`select o.application_id, o.integration_id, i.name, o.paused_reason,
        o.paused_detail, o.paused_until, o.failing_since
      from applications a join ownerships o on o.application_id = a.id
      join integrations i on i.application_id = a.id and i.id = o.integration_id
      where ${within(scope)} and a.state = 'enable' and i.state = 'enable'
        and (o.paused_reason is not null or o.failing_since is not null)
      order by o.integration_id`.execute(this.#engine.db);
    return rows;
  }

  /** How one integration stands, and which node sends for it. */
  standing(applicationId: Id, integrationId: Id): Promise<Ownership | undefined> {
    return this.#engine.db
      .selectFrom('ownerships')
      .selectAll()
      .where('applicationId', '=', applicationId)
      .where('integrationId', '=', integrationId)
      .executeTakeFirst();
  }

  /** Webhooks that did not take an event, and are given it again. */
  async retried(scope: Scope): Promise<Retried[]> {
    const { rows } = await sql<Retried>`select a.id as application_id, m.created_at as since,
        l.due_at as next_at, m.detail
      from applications a join endpoints e on e.application_id = a.id
      join lanes l on l.application_id = a.id and l.integration_id = e.integration_id and l.recipient = ${FEED} and l.reason = 'retry'
      join messages m on m.application_id = a.id and m.id = l.message_id and m.settled_at = 0
      where ${within(scope)} and a.state = 'enable' order by a.id`.execute(this.#engine.db);
    return rows;
  }
}

function within({ teamId, applicationId }: Scope): RawBuilder<unknown> {
  const team = sql`a.team_id = ${teamId}`;
  return applicationId === undefined ? team : sql`${team} and a.id = ${applicationId}`;
}
