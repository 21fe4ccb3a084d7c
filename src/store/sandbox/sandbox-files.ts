import { type Kysely, sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import type { Millis } from '../../model/timestamp.ts';
import { deleteFromEach } from '../delete-rows.ts';
import { Repository } from '../repository.ts';
import type { SandboxFile, Schema } from '../schema.ts';
import type { SandboxPlace } from './sandbox-messages.ts';

/** Bytes of files kept per integration. */
export const MAX_SANDBOX_BYTES = 20 * 1024 * 1024;
const MIN_COUNTED_BYTES = 16 * 1024;

const SANDBOX_TABLES = ['sandboxMessages', 'sandboxFiles', 'sandboxReports'] as const;

/** The files of the sandbox, and the removal of whole sandboxes. */
export class SandboxFiles extends Repository {
  /** Adds or replaces a file, and drops the oldest ones beyond the limit. */
  async put(file: SandboxFile): Promise<void> {
    const { applicationId, integrationId, id } = file;
    await this.db.transaction().execute(async (trx) => {
      await trx
        .deleteFrom('sandboxFiles')
        .where((eb) => eb.and({ applicationId, integrationId, id }))
        .execute();
      await trx.insertInto('sandboxFiles').values(file).execute();
      const old = await oldest(trx, file);
      if (old.length === 0) return;
      await trx
        .deleteFrom('sandboxFiles')
        .where((eb) => eb.and({ applicationId, integrationId }))
        .where('id', 'in', old)
        .execute();
    });
  }

  get(
    { applicationId, integrationId }: SandboxPlace,
    id: string,
  ): Promise<SandboxFile | undefined> {
    return this.db
      .selectFrom('sandboxFiles')
      .selectAll()
      .where((eb) => eb.and({ applicationId, integrationId, id }))
      .executeTakeFirst();
  }

  /** Deletes the messages, files and reports of an integration. */
  async reset({ applicationId, integrationId }: SandboxPlace): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      for (const table of SANDBOX_TABLES) {
        await trx
          .deleteFrom(table)
          .where('applicationId', '=', applicationId)
          .where('integrationId', '=', integrationId)
          .execute();
      }
    });
  }

  /** Deletes up to `limit` older messages and files; returns whether there may be more. */
  async forget(before: Millis, limit: number): Promise<boolean> {
    return (
      (await deleteFromEach(this.db, SANDBOX_TABLES, sql`created_at < ${before}`, limit)) === limit
    );
  }
}

/** The ids of the files beyond the limit. Small files count as larger ones, which limits their number. */
async function oldest(
  db: Kysely<Schema>,
  { applicationId, integrationId }: SandboxPlace,
): Promise<string[]> {
  const files = await db
    .selectFrom('sandboxFiles')
    .select(['id', 'size', 'createdAt'])
    .where((eb) => eb.and({ applicationId, integrationId }))
    .execute();
  let total = 0;
  const newest = files.toSorted((a, b) => b.createdAt - a.createdAt);
  return newest.flatMap(({ id, size }) => {
    total += Math.max(size, MIN_COUNTED_BYTES);
    return total > MAX_SANDBOX_BYTES ? [id] : [];
  });
}

/** Deletes up to `limit` rows per table of the sandboxes of a deleted resource; returns the largest number deleted. */
export async function removeSandboxes(
  db: Kysely<Schema>,
  applicationId: Id,
  integrationIds: readonly Id[],
  limit: number,
): Promise<number> {
  if (integrationIds.length === 0) return 0;
  const deleted = sql`application_id = ${applicationId} and integration_id in (${sql.join(integrationIds)})`;
  return deleteFromEach(db, SANDBOX_TABLES, deleted, limit);
}
