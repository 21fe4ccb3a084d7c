import { sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import type { Millis } from '../../model/timestamp.ts';
import { FEED, isQueued } from '../feed/endpoint-queue.ts';
import { inState } from '../messages/message-filter.ts';
import { Repository } from '../repository.ts';
import type { Ownership } from '../schema.ts';
import { type Scope, applicationsIn } from '../scope.ts';

/** Counting stops at this many messages per application. */
export const MAX_COUNTED = 10_000;
const MAX_APPLICATIONS_PER_STATEMENT = 100;

/** The number of messages of an application in a state, and when the oldest was accepted. */
export interface Queue {
  applicationId: Id;
  count: number;
  oldest: Millis | null;
}

/** An integration that is paused or failing; `name` is its channel. */
export type UnhealthyIntegration = Pick<
  Ownership,
  | 'applicationId'
  | 'integrationId'
  | 'pausedReason'
  | 'pausedDetail'
  | 'pausedUntil'
  | 'failingSince'
  | 'lastError'
  | 'lastErrorReason'
  | 'receivingFailingSince'
  | 'receivingError'
> & { name: string };

/** A webhook with a delivery that waits for a retry. */
export interface Retried {
  applicationId: Id;
  nextAt: Millis | null;
}

/** The current status of the applications of a team, or of one of them. */
export class Overview extends Repository {
  /** The applications with messages in this state; counts up to MAX_COUNTED each. */
  async queues(scope: Scope, state: 'queued' | 'uncertain'): Promise<Queue[]> {
    const own = sql`from messages m where m.application_id = a.id and ${inState(state)}`;
    const found: Queue[] = [];
    for await (const ids of applicationsIn(this.db, scope, MAX_APPLICATIONS_PER_STATEMENT)) {
      const { rows } = await sql<Queue>`select a.id as application_id,
          (select count(*) from (select 1 ${own} limit ${MAX_COUNTED}) as counted) as count,
          (select m.created_at ${own} order by m.created_at, m.id limit 1) as oldest
        from applications a where a.id in (${sql.join(ids)})`.execute(this.db);
      found.push(...rows.filter(({ oldest }) => oldest !== null));
    }
    return found.toSorted((a, b) => a.applicationId - b.applicationId);
  }

  /** The number of messages waiting for an integration; counts up to MAX_COUNTED. */
  async waiting(applicationId: Id, integrationId: Id): Promise<number> {
    const { rows } = await sql<{ count: number }>`select count(*) as count from
      (select 1 from outbox where ${isQueued({ applicationId, integrationId })}
        limit ${MAX_COUNTED}) as counted`.execute(this.db);
    return rows[0]?.count ?? 0;
  }

  /** Enabled integrations that are paused or failing, including webhooks. */
  async unhealthy(scope: Scope): Promise<UnhealthyIntegration[]> {
    const found: UnhealthyIntegration[] = [];
    for await (const ids of applicationsIn(this.db, scope, MAX_APPLICATIONS_PER_STATEMENT)) {
      const { rows } =
        await sql<UnhealthyIntegration>`select o.application_id, o.integration_id, i.name, o.paused_reason,
          o.paused_detail, o.paused_until, o.failing_since, o.last_error, o.last_error_reason,
          o.receiving_failing_since, o.receiving_error
        from ownerships o cross join integrations i cross join applications a
        where o.application_id in (${sql.join(ids)})
          and (o.paused_reason is not null or o.failing_since is not null
            or o.receiving_failing_since is not null)
          and i.application_id = o.application_id and i.id = o.integration_id
          and a.id = o.application_id and a.state = 'enable' and i.state = 'enable'`.execute(
          this.db,
        );
      found.push(...rows);
    }
    return found.toSorted((a, b) => a.integrationId - b.integrationId);
  }

  /** The status and owner of an integration. */
  status(applicationId: Id, integrationId: Id): Promise<Ownership | undefined> {
    return this.db
      .selectFrom('ownerships')
      .selectAll()
      .where((eb) => eb.and({ applicationId, integrationId }))
      .executeTakeFirst();
  }

  /** Webhooks with a delivery that waits for a retry, and its time. */
  async retried(scope: Scope): Promise<Retried[]> {
    const found: Retried[] = [];
    for await (const ids of applicationsIn(this.db, scope, MAX_APPLICATIONS_PER_STATEMENT)) {
      const { rows } = await sql<Retried>`select a.id as application_id, l.due_at as next_at
        from applications a cross join endpoints e cross join lanes l
        where a.id in (${sql.join(ids)}) and a.state = 'enable' and e.application_id = a.id
          and l.application_id = a.id and l.integration_id = e.integration_id
          and l.recipient = ${FEED} and l.reason = 'retry'`.execute(this.db);
      found.push(...rows);
    }
    return found.toSorted((a, b) => a.applicationId - b.applicationId);
  }
}
