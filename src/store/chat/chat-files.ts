import { type Kysely, sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import { deleteFromEach } from '../delete-rows.ts';
import { Repository } from '../repository.ts';
import type { ChatFile, Schema } from '../schema.ts';
import type { Conversation } from './chats.ts';

export type ChatFileInfo = Omit<ChatFile, 'bytes'>;

const INFO = [
  'id',
  'applicationId',
  'integrationId',
  'visitor',
  'name',
  'mediaType',
  'size',
  'createdAt',
] as const satisfies (keyof ChatFile)[];

/** The files of web chat visitors, and the removal of whole chats. */
export class ChatFiles extends Repository {
  async insert(file: ChatFile): Promise<void> {
    await this.db.insertInto('chatFiles').values(file).execute();
  }

  /** A file of any visitor of the integration. */
  get(
    { applicationId, integrationId }: Pick<ChatFile, 'applicationId' | 'integrationId'>,
    id: string,
  ): Promise<ChatFile | undefined> {
    return this.db
      .selectFrom('chatFiles')
      .selectAll()
      .where((eb) => eb.and({ applicationId, id, integrationId }))
      .executeTakeFirst();
  }

  /** The files with these ids that belong to the visitor. */
  async list(
    { applicationId, integrationId, visitor }: Conversation,
    ids: readonly string[],
  ): Promise<ChatFileInfo[]> {
    if (ids.length === 0) return [];
    return this.db
      .selectFrom('chatFiles')
      .select(INFO)
      .where('applicationId', '=', applicationId)
      .where('id', 'in', ids)
      .where((eb) => eb.and({ integrationId, visitor }))
      .execute();
  }

  /** The visitor's number of files, and the integration's total bytes. */
  async usage(where: Conversation): Promise<{ visitorFiles: number; bytes: number }> {
    const { applicationId, integrationId, visitor } = where;
    const { rows } = await sql<{ visitorFiles: number; bytes: number }>`select
      cast(coalesce(sum(case when visitor = ${visitor} then 1 else 0 end), 0) as bigint) as visitor_files,
      cast(coalesce(sum(size), 0) as bigint) as bytes
      from chat_files where application_id = ${applicationId}
        and integration_id = ${integrationId}`.execute(this.db);
    const [row] = rows;
    return row ?? { visitorFiles: 0, bytes: 0 };
  }
}

/** Deletes up to `limit` rows per table of the chats of a deleted resource; returns the largest number deleted. */
export async function removeChats(
  db: Kysely<Schema>,
  applicationId: Id,
  integrationIds: readonly Id[],
  limit: number,
): Promise<number> {
  if (integrationIds.length === 0) return 0;
  const ofChats = sql`application_id = ${applicationId} and integration_id in (${sql.join(integrationIds)})`;
  return deleteFromEach(db, ['chatFiles', 'chatEntries', 'chatVisitors'], ofChats, limit);
}
