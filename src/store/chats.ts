import { type Kysely, sql } from 'kysely';

import type { Id } from '../model/id.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Engine } from './engine.ts';
import type { ChatEntry, ChatVisitor, Schema } from './schema.ts';

/** One conversation of the web chat: an integration, and one visitor. */
export interface Conversation {
  applicationId: Id;
  integrationId: Id;
  visitor: string;
}

export interface NewChatEntry {
  id: string;
  author: ChatEntry['author'];
  /** What the entry that it answers is called. */
  replyTo?: string;
  body: string;
}

/** How far a conversation has come. */
export type ChatStanding = Pick<ChatVisitor, 'last' | 'delivered' | 'read' | 'typingAt'>;

/** How many conversations are asked after in one statement. */
const ASKED = 200;

/**
 * The conversations of the web chat. Entries and changes of them are numbered in one order, under a lock on
 * the visitor, so that whoever has read up to a number has seen everything before it.
 */
export class Chats {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Notes that a visitor is there; answers whether they were not known before. */
  async meet(where: Conversation, now: Millis): Promise<boolean> {
    const { db } = this.#engine;
    const fresh = await insertVisitor(db, where, now);
    if (fresh) return true;
    await db.updateTable('chatVisitors').set({ seenAt: now }).where(isOf(where)).execute();
    return false;
  }

  /**
   * Puts an entry at the end, unless one of that id is there already. Undefined when nobody knows the
   * visitor, unless `isWelcome`: then the conversation begins.
   */
  put(
    where: Conversation,
    { id, author, replyTo, body }: NewChatEntry,
    isWelcome: boolean,
    now: Millis,
  ): Promise<ChatEntry | undefined> {
    return this.#engine.db.transaction().execute(async (trx) => {
      let visitor = await this.#hold(trx, where);
      if (!visitor && isWelcome) {
        await insertVisitor(trx, where, now);
        visitor = await this.#hold(trx, where);
      }
      if (!visitor) return undefined;
      const before = await find(trx, where, id);
      if (before) return before;
      const answered = replyTo === undefined ? undefined : await find(trx, where, replyTo);
      const number = visitor.last + 1;
      const entry: ChatEntry = {
        applicationId: where.applicationId,
        integrationId: where.integrationId,
        visitor: where.visitor,
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
      const said = author === 'application' ? { typingAt: null } : {};
      await advance(trx, where, { last: number, seenAt: now, ...said });
      return entry;
    });
  }

  /** Changes what the application has said, or takes it back with null. Answers whether it was there. */
  change(where: Conversation, id: string, body: string | null, now: Millis): Promise<boolean> {
    return this.#engine.db.transaction().execute(async (trx) => {
      const visitor = await this.#hold(trx, where);
      if (!visitor) return false;
      const entry = await find(trx, where, id);
      if (entry?.author !== 'application' || entry.body === null) return false;
      const version = visitor.last + 1;
      await trx
        .updateTable('chatEntries')
        .set({ body, version, changedAt: now })
        .where(isOf(where))
        .where('number', '=', entry.number)
        .execute();
      await advance(trx, where, { last: version });
      return true;
    });
  }

  /** Up to `limit` entries that are new or changed after that version, in the order of their versions. */
  after(where: Conversation, version: number, limit: number): Promise<ChatEntry[]> {
    return this.#entries(where)
      .where('version', '>', version)
      .orderBy('version')
      .limit(limit)
      .execute();
  }

  /** The last `limit` entries before that number, the oldest first. */
  async before(where: Conversation, number: number, limit: number): Promise<ChatEntry[]> {
    const entries = await this.#entries(where)
      .where('number', '<', number)
      .orderBy('number', 'desc')
      .limit(limit)
      .execute();
    return entries.toReversed();
  }

  get(where: Conversation, number: number): Promise<ChatEntry | undefined> {
    return this.#entries(where).where('number', '=', number).executeTakeFirst();
  }

  /** What the application has said after that number, up to the other. */
  async idsWithin(where: Conversation, after: number, upTo: number): Promise<string[]> {
    const entries = await this.#entries(where)
      .where('author', '=', 'application')
      .where('number', '>', after)
      .where('number', '<=', upTo)
      .orderBy('number')
      .execute();
    return entries.map(({ id }) => id);
  }

  async standing(where: Conversation): Promise<ChatStanding | undefined> {
    return this.#engine.db
      .selectFrom('chatVisitors')
      .select(['last', 'delivered', 'read', 'typingAt'])
      .where(isOf(where))
      .executeTakeFirst();
  }

  /** How far these conversations have come; those that nobody knows are left out. */
  async standings(
    conversations: readonly Conversation[],
  ): Promise<(Conversation & ChatStanding)[]> {
    const found: (Conversation & ChatStanding)[] = [];
    for (let i = 0; i < conversations.length; i += ASKED) {
      const asked = conversations.slice(i, i + ASKED);
      const rows = await this.#engine.db
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
            asked.map((one) => tuple(one.applicationId, one.integrationId, one.visitor)),
          ),
        )
        .execute();
      found.push(...rows);
    }
    return found;
  }

  /** Notes how far a visitor has come; never back. */
  async note(where: Conversation, what: 'delivered' | 'read', number: number): Promise<void> {
    await this.#engine.db
      .updateTable('chatVisitors')
      .set({ [what]: number })
      .where(isOf(where))
      .where(what, '<', number)
      .execute();
  }

  /** Notes that the application is writing. Answers whether the visitor is known. */
  async type(where: Conversation, now: Millis): Promise<boolean> {
    const { numUpdatedRows } = await this.#engine.db
      .updateTable('chatVisitors')
      .set({ typingAt: now })
      .where(isOf(where))
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  #entries(where: Conversation) {
    return this.#engine.db.selectFrom('chatEntries').selectAll().where(isOf(where));
  }

  /** The visitor, who stays as they are until the end of the transaction. */
  #hold(trx: Kysely<Schema>, where: Conversation): Promise<ChatVisitor | undefined> {
    let query = trx.selectFrom('chatVisitors').selectAll().where(isOf(where));
    if (this.#engine.name === 'postgres') query = query.forUpdate();
    return query.executeTakeFirst();
  }
}

/** What belongs to a conversation. */
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
  where: Conversation,
  id: string,
): Promise<ChatEntry | undefined> {
  return trx
    .selectFrom('chatEntries')
    .selectAll()
    .where(isOf(where))
    .where('id', '=', id)
    .executeTakeFirst();
}

async function advance(
  trx: Kysely<Schema>,
  where: Conversation,
  change: Partial<Pick<ChatVisitor, 'last' | 'seenAt' | 'typingAt'>>,
): Promise<void> {
  await trx.updateTable('chatVisitors').set(change).where(isOf(where)).execute();
}

/** Removes up to `limit` entries and visitors that are older; answers whether there may be more. */
export async function forgetChats(
  db: Kysely<Schema>,
  before: Millis,
  limit: number,
): Promise<boolean> {
  const entries =
    await sql`delete from chat_entries where (application_id, integration_id, visitor, number) in
    (select application_id, integration_id, visitor, number from chat_entries where created_at < ${before}
      limit ${limit})`.execute(db);
  const visitors =
    await sql`delete from chat_visitors where (application_id, integration_id, visitor) in
    (select v.application_id, v.integration_id, v.visitor from chat_visitors v
      where v.seen_at < ${before} and not exists (select 1 from chat_entries e
        where e.application_id = v.application_id and e.integration_id = v.integration_id
          and e.visitor = v.visitor)
      limit ${limit})`.execute(db);
  return [entries, visitors].some(({ numAffectedRows }) => numAffectedRows === BigInt(limit));
}
