import { type Kysely, sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import type { Millis } from '../../model/timestamp.ts';
import { Repository } from '../repository.ts';
import type { ChatEntry, ChatVisitor, Schema } from '../schema.ts';

/** A web chat conversation: an integration and a visitor. */
export interface Conversation {
  applicationId: Id;
  integrationId: Id;
  visitor: string;
}

interface NewChatEntry {
  id: string;
  author: ChatEntry['author'];
  /** The id of the entry that this one answers. */
  replyTo?: string;
  body: string;
}

/** The progress of a conversation. */
export type ChatStatus = Pick<ChatVisitor, 'last' | 'delivered' | 'read' | 'typingAt'>;

const MAX_PER_STATEMENT = 200;

/**
 * Web chat conversations. Entries and their changes share one numbering, assigned under a lock on the visitor, so a
 * reader who has seen a number has seen everything before it.
 */
export class Chats extends Repository {
  /** Records a visitor; returns whether they are new. */
  async addVisitor(conversation: Conversation, now: Millis): Promise<boolean> {
    const inserted = await insertVisitor(this.db, conversation, now);
    if (inserted) return true;
    await this.db
      .updateTable('chatVisitors')
      .set({ seenAt: now })
      .where(isOf(conversation))
      .execute();
    return false;
  }

  /**
   * Appends an entry, unless its id exists. Undefined if the visitor is unknown, unless `isGreeting` is set, which
   * starts the conversation.
   */
  put(
    conversation: Conversation,
    { id, author, replyTo, body }: NewChatEntry,
    isGreeting: boolean,
    now: Millis,
  ): Promise<ChatEntry | undefined> {
    return this.db.transaction().execute(async (trx) => {
      let visitor = await this.#lockVisitor(trx, conversation);
      if (!visitor && isGreeting) {
        await insertVisitor(trx, conversation, now);
        visitor = await this.#lockVisitor(trx, conversation);
      }
      if (!visitor) return undefined;
      const before = await find(trx, conversation, id);
      if (before) return before;
      const answered = replyTo === undefined ? undefined : await find(trx, conversation, replyTo);
      const number = visitor.last + 1;
      const entry: ChatEntry = {
        applicationId: conversation.applicationId,
        integrationId: conversation.integrationId,
        visitor: conversation.visitor,
        number,
        version: number,
        id,
        author,
        reply: answered?.number ?? null,
        body,
        changedAt: null,
        createdAt: now,
      };
      await trx.insertInto('chatEntries').values(entry).execute();
      const typing = author === 'application' ? { typingAt: null } : {};
      await advance(trx, conversation, { last: number, seenAt: now, ...typing });
      return entry;
    });
  }

  /** Edits an entry of the application, or deletes it with null. Returns whether it exists. */
  change(
    conversation: Conversation,
    id: string,
    body: string | null,
    now: Millis,
  ): Promise<boolean> {
    return this.db.transaction().execute(async (trx) => {
      const visitor = await this.#lockVisitor(trx, conversation);
      if (!visitor) return false;
      const entry = await find(trx, conversation, id);
      if (entry?.author !== 'application' || entry.body === null) return false;
      const version = visitor.last + 1;
      await trx
        .updateTable('chatEntries')
        .set({ body, version, changedAt: now })
        .where(isOf(conversation))
        .where('number', '=', entry.number)
        .execute();
      await advance(trx, conversation, { last: version });
      return true;
    });
  }

  /** Up to `limit` entries that were added or changed after this version, in the order of their versions. */
  after(conversation: Conversation, version: number, limit: number): Promise<ChatEntry[]> {
    return this.#entries(conversation)
      .where('version', '>', version)
      .orderBy('version')
      .limit(limit)
      .execute();
  }

  /** The last `limit` entries before this number, oldest first. */
  async before(conversation: Conversation, number: number, limit: number): Promise<ChatEntry[]> {
    const entries = await this.#entries(conversation)
      .where('number', '<', number)
      .orderBy('number', 'desc')
      .limit(limit)
      .execute();
    return entries.toReversed();
  }

  get(conversation: Conversation, number: number): Promise<ChatEntry | undefined> {
    return this.#entries(conversation).where('number', '=', number).executeTakeFirst();
  }

  /** The ids of the application's entries after one number and up to another. */
  async idsWithin(conversation: Conversation, after: number, upTo: number): Promise<string[]> {
    const entries = await this.#entries(conversation)
      .where('author', '=', 'application')
      .where('number', '>', after)
      .where('number', '<=', upTo)
      .orderBy('number')
      .execute();
    return entries.map(({ id }) => id);
  }

  async status(conversation: Conversation): Promise<ChatStatus | undefined> {
    return this.db
      .selectFrom('chatVisitors')
      .select(['last', 'delivered', 'read', 'typingAt'])
      .where(isOf(conversation))
      .executeTakeFirst();
  }

  /** The progress of these conversations; unknown ones are omitted. */
  async statuses(conversations: readonly Conversation[]): Promise<(Conversation & ChatStatus)[]> {
    const found: (Conversation & ChatStatus)[] = [];
    for (let i = 0; i < conversations.length; i += MAX_PER_STATEMENT) {
      const batch = conversations.slice(i, i + MAX_PER_STATEMENT);
      const rows = await this.db
        .selectFrom('chatVisitors')
        .select([
          'applicationId',
          'integrationId',
          'visitor',
          'last',
          'delivered',
          'read',
          'typingAt',
        ])
        .where(({ eb, refTuple, tuple }) =>
          eb(
            refTuple('applicationId', 'integrationId', 'visitor'),
            'in',
            batch.map((conversation) =>
              tuple(conversation.applicationId, conversation.integrationId, conversation.visitor),
            ),
          ),
        )
        .execute();
      found.push(...rows);
    }
    return found;
  }

  /** Records how far a visitor has received or read; never goes back. */
  async markUpTo(
    conversation: Conversation,
    what: 'delivered' | 'read',
    number: number,
  ): Promise<void> {
    await this.db
      .updateTable('chatVisitors')
      .set({ [what]: number })
      .where(isOf(conversation))
      .where(what, '<', number)
      .execute();
  }

  /** Records that the application is typing. Returns whether the visitor is known. */
  async type(conversation: Conversation, now: Millis): Promise<boolean> {
    const { numUpdatedRows } = await this.db
      .updateTable('chatVisitors')
      .set({ typingAt: now })
      .where(isOf(conversation))
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  #entries(conversation: Conversation) {
    return this.db.selectFrom('chatEntries').selectAll().where(isOf(conversation));
  }

  #lockVisitor(trx: Kysely<Schema>, conversation: Conversation): Promise<ChatVisitor | undefined> {
    let query = trx.selectFrom('chatVisitors').selectAll().where(isOf(conversation));
    if (this.engine.name === 'postgres') query = query.forUpdate();
    return query.executeTakeFirst();
  }
}

const isOf = ({ applicationId, integrationId, visitor }: Conversation) =>
  sql<boolean>`application_id = ${applicationId} and integration_id = ${integrationId} and visitor = ${visitor}`;

async function insertVisitor(
  db: Kysely<Schema>,
  { applicationId, integrationId, visitor }: Conversation,
  now: Millis,
): Promise<boolean> {
  const row = {
    applicationId,
    integrationId,
    visitor,
    last: 0,
    delivered: 0,
    read: 0,
    createdAt: now,
    seenAt: now,
  };
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('chatVisitors')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

function find(
  trx: Kysely<Schema>,
  conversation: Conversation,
  id: string,
): Promise<ChatEntry | undefined> {
  return trx
    .selectFrom('chatEntries')
    .selectAll()
    .where(isOf(conversation))
    .where('id', '=', id)
    .executeTakeFirst();
}

async function advance(
  trx: Kysely<Schema>,
  conversation: Conversation,
  change: Partial<Pick<ChatVisitor, 'last' | 'seenAt' | 'typingAt'>>,
): Promise<void> {
  await trx.updateTable('chatVisitors').set(change).where(isOf(conversation)).execute();
}
