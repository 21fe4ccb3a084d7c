import { sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import type { Millis } from '../../model/timestamp.ts';
import { Repository } from '../repository.ts';
import type { SandboxReport } from '../schema.ts';
import type { SandboxPlace } from './sandbox-messages.ts';

/** Reports kept per integration while no session takes them. */
export const MAX_SANDBOX_REPORTS = 1_000;

/** Reports that simulated vendors have not yet sent: late ones, and those that wait for a session. */
export class SandboxReports extends Repository {
  /** Adds a report, and drops the oldest one beyond the limit. */
  async insert(report: SandboxReport): Promise<void> {
    await this.db.insertInto('sandboxReports').values(report).execute();
    const { applicationId, integrationId } = report;
    await sql`delete from sandbox_reports
      where application_id = ${applicationId} and integration_id = ${integrationId}
        and id <= (select id from sandbox_reports
          where application_id = ${applicationId} and integration_id = ${integrationId}
          order by id desc limit 1 offset ${MAX_SANDBOX_REPORTS})`.execute(this.db);
  }

  /** Due reports, earliest first. They stay until `remove` is called. */
  due(now: Millis, limit: number): Promise<SandboxReport[]> {
    return this.db
      .selectFrom('sandboxReports')
      .selectAll()
      .where('dueAt', '<=', now)
      .orderBy('dueAt')
      .limit(limit)
      .execute();
  }

  /** Reports that wait for a session of the integration, oldest first. */
  forSession(
    { applicationId, integrationId }: SandboxPlace,
    limit: number,
  ): Promise<SandboxReport[]> {
    return this.db
      .selectFrom('sandboxReports')
      .selectAll()
      .where((eb) => eb.and({ applicationId, integrationId }))
      .where('dueAt', 'is', null)
      .orderBy('id')
      .limit(limit)
      .execute();
  }

  /**
   * The integrations with new reports, or in which people have done something. `union all`: for a `union`, SQLite reads
   * both tables in the order of the integrations instead of using the indexes by time.
   */
  async activeSince(since: Millis): Promise<Id[]> {
    const rows = await this.db
      .selectFrom('sandboxReports')
      .select('integrationId')
      .where('createdAt', '>=', since)
      .unionAll(
        this.db
          .selectFrom('sandboxMessages')
          .select('integrationId')
          .where('createdAt', '>=', since)
          .where('author', '=', 'person'),
      )
      .execute();
    return [...new Set(rows.map(({ integrationId }) => integrationId))];
  }

  async remove({ applicationId, integrationId }: SandboxPlace, id: Id): Promise<void> {
    await this.db
      .deleteFrom('sandboxReports')
      .where((eb) => eb.and({ applicationId, integrationId, id }))
      .execute();
  }
}
