import { sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import { type IgnoredReport, MAX_IGNORED } from '../../model/ignored.ts';
import { type Page, type PageRequest, page } from '../paging.ts';
import { Repository } from '../repository.ts';
import { keyIn } from '../tables.ts';

/** Reports that produced no event: one row per type and reason, with a count, so that a flood is one row. */
export class IgnoredReports extends Repository {
  /** Counts reports of one kind. A new kind replaces the least recent one. */
  async count(report: Omit<IgnoredReport, 'id' | 'createdAt'>): Promise<void> {
    const { db, name } = this.engine;
    const { applicationId, integrationId, type, reason, count, lastAt } = report;
    const { numUpdatedRows } = await db
      .updateTable('ignored')
      .set((row) => ({ count: row('count', '+', count), lastAt }))
      .where((eb) => eb.and({ applicationId, integrationId, type, reason }))
      .executeTakeFirst();
    if (numUpdatedRows > 0n) return;
    const id = await this.engine.nextId();
    await db
      .insertInto('ignored')
      .values({ ...report, id, createdAt: lastAt })
      .onConflict((conflict) =>
        conflict
          .columns(keyIn(name, 'ignored'))
          .doUpdateSet((row) => ({ count: row('ignored.count', '+', count), lastAt })),
      )
      .execute();
    await this.#prune(applicationId, integrationId);
  }

  async #prune(applicationId: Id, integrationId: Id): Promise<void> {
    await sql`delete from ignored where application_id = ${applicationId} and integration_id = ${integrationId}
      and id not in (select id from ignored
        where application_id = ${applicationId} and integration_id = ${integrationId}
        order by last_at desc, id desc limit ${MAX_IGNORED})`.execute(this.db);
  }

  /** Most recent kind first. */
  list(applicationId: Id, integrationId: Id, request: PageRequest): Promise<Page<IgnoredReport>> {
    const query = this.db
      .selectFrom('ignored')
      .selectAll()
      .where('applicationId', '=', applicationId)
      .where('integrationId', '=', integrationId);
    return page(query, request);
  }
}
