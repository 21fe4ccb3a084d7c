import { sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import { ENDPOINT, type IntegrationMode } from '../../model/integration.ts';
import type { Millis } from '../../model/timestamp.ts';
import { type Scope, applicationsIn } from '../applications-in-scope.ts';
import { FEED, isQueued } from '../feed/endpoint-queue.ts';
import { inState } from '../messages/message-filter.ts';
import { Repository } from '../repository.ts';
import type { Ownership } from '../schema.ts';

/** Counting stops at this many messages per application. */
export const MAX_COUNTED = 10_000;
const MAX_APPLICATIONS_PER_STATEMENT = 100;

interface CountAndOldest {
  count: number;
  oldest: Millis | null;
}

/** The number of messages of an application in a state, and when the oldest was accepted. */
export interface Queue extends CountAndOldest {
  applicationId: Id;
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
export interface RetriedWebhook {
  applicationId: Id;
  nextAt: Millis | null;
}

/** The current status of the applications of a team, or of one of them. */
export class Overview extends Repository {
  /** The applications with messages in this state; counts up to MAX_COUNTED each. */
  async queues(scope: Scope, state: 'queued' | 'uncertain'): Promise<Queue[]> {
    const fromMessages = sql`from messages m where m.application_id = a.id and ${inState(state)}`;
    const queues: Queue[] = [];
    for await (const ids of applicationsIn(this.db, scope, MAX_APPLICATIONS_PER_STATEMENT)) {
      const { rows } = await sql<Queue>`select a.id as application_id,
          (select count(*) from (select 1 ${fromMessages} limit ${MAX_COUNTED}) as counted) as count,
          (select m.created_at ${fromMessages} order by m.created_at, m.id limit 1) as oldest
        from applications a where a.id in (${sql.join(ids)})`.execute(this.db);
      const waiting = rows.filter(({ oldest }) => oldest !== null);
      queues.push(...(await this.#ofMode(waiting, scope.mode ?? 'live', state)));
    }
    return queues.toSorted((a, b) => a.applicationId - b.applicationId);
  }

  /** The queues without the messages of the other mode. Most applications have no integration in the sandbox. */
  async #ofMode(
    queues: readonly Queue[],
    mode: IntegrationMode,
    state: 'queued' | 'uncertain',
  ): Promise<Queue[]> {
    if (queues.length === 0) return [];
    const ids = queues.map(({ applicationId }) => applicationId);
    const rows = await this.db
      .selectFrom('integrations')
      .select('applicationId')
      .distinct()
      .where('applicationId', 'in', ids)
      .where('mode', '=', 'sandbox')
      .execute();
    const withSandbox = new Set(rows.map(({ applicationId }) => applicationId));
    const ofMode: Queue[] = [];
    for (const queue of queues) {
      const isMixed = withSandbox.has(queue.applicationId);
      const matching = isMixed ? await this.#queueOf(queue.applicationId, mode, state) : queue;
      if (matching.count > 0 && (isMixed || mode === 'live')) ofMode.push(matching);
    }
    return ofMode;
  }

  /** The messages of this mode among the oldest MAX_COUNTED: one application per statement, because of the rows it reads. */
  async #queueOf(
    applicationId: Id,
    mode: IntegrationMode,
    state: 'queued' | 'uncertain',
  ): Promise<Queue> {
    const { rows } = await sql<CountAndOldest>`select count(*) as count, min(w.created_at) as oldest
      from (select m.created_at, m.integration_id from messages m
        where m.application_id = ${applicationId} and ${inState(state)}
        order by m.created_at, m.id limit ${MAX_COUNTED}) as w
      where (select i.mode from integrations i
        where i.application_id = ${applicationId} and i.id = w.integration_id) = ${mode}`.execute(
      this.db,
    );
    return { applicationId, count: 0, oldest: null, ...rows[0] };
  }

  /** The number of messages waiting for an integration; counts up to MAX_COUNTED. */
  async waiting(applicationId: Id, integrationId: Id): Promise<number> {
    const { rows } = await sql<{ count: number }>`select count(*) as count from
      (select 1 from outbox where ${isQueued({ applicationId, integrationId })}
        limit ${MAX_COUNTED}) as counted`.execute(this.db);
    return rows[0]?.count ?? 0;
  }

  /** Enabled integrations of this mode that are paused or failing, including webhooks: those get the events of both modes. */
  async unhealthy(scope: Scope): Promise<UnhealthyIntegration[]> {
    const integrations: UnhealthyIntegration[] = [];
    const mode = scope.mode ?? 'live';
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
          and (i.mode = ${mode} or i.name = ${ENDPOINT})
          and a.id = o.application_id and a.state = 'enable' and i.state = 'enable'`.execute(
          this.db,
        );
      integrations.push(...rows);
    }
    return integrations.toSorted((a, b) => a.integrationId - b.integrationId);
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
  async retried(scope: Scope): Promise<RetriedWebhook[]> {
    const webhooks: RetriedWebhook[] = [];
    for await (const ids of applicationsIn(this.db, scope, MAX_APPLICATIONS_PER_STATEMENT)) {
      const { rows } = await sql<RetriedWebhook>`select a.id as application_id, l.due_at as next_at
        from applications a cross join endpoints e cross join lanes l
        where a.id in (${sql.join(ids)}) and a.state = 'enable' and e.application_id = a.id
          and l.application_id = a.id and l.integration_id = e.integration_id
          and l.recipient = ${FEED} and l.reason = 'retry'`.execute(this.db);
      webhooks.push(...rows);
    }
    return webhooks.toSorted((a, b) => a.applicationId - b.applicationId);
  }
}
