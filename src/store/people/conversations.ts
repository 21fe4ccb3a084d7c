import { type Kysely, sql } from 'kysely';

import { chunksOf } from '../../lib/runtime/chunks.ts';
import type { Event } from '../../model/event.ts';
import type { Id } from '../../model/id.ts';
import type { Message } from '../../model/message.ts';
import type { Conversation, ConversationChange } from '../../model/people/conversation.ts';
import { LAST_CHARACTER, searchTerm, withoutPlus } from '../../model/people/search-terms.ts';
import type { Millis } from '../../model/timestamp.ts';
import { type Page, type PageRequest, isBackwards, pageOf } from '../paging.ts';
import { Repository } from '../repository.ts';
import type { Schema } from '../schema.ts';
import { keyIn } from '../tables.ts';

/** Rows per statement. */
const MAX_PER_STATEMENT = 200;

type Place = Pick<Conversation, 'integrationId' | 'recipient'>;

/** The batch must be read again. Thrown to end the transaction. */
class StaleBatch extends Error {}

/**
 * The messages between integrations and people. The rows follow the feed of an application up to a cursor; accepting
 * messages costs nothing more. Applications that never ask for conversations have none.
 */
export class Conversations extends Repository {
  /** The last event that the conversations contain; undefined if the application never asked for them. */
  async cursor(applicationId: Id): Promise<number | undefined> {
    const row = await this.db
      .selectFrom('projections')
      .select('cursor')
      .where('applicationId', '=', applicationId)
      .executeTakeFirst();
    return row?.cursor;
  }

  async start(applicationId: Id): Promise<void> {
    await this.db
      .insertInto('projections')
      .values({ applicationId, cursor: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  /**
   * Applies the changes of the events after `from` up to `to`, of which there were `count`. False if another node did so,
   * or if some were removed meanwhile, such as those of an erased person.
   */
  async apply(
    applicationId: Id,
    { from, to, count }: { from: number; to: number; count: number },
    changes: readonly ConversationChange[],
  ): Promise<boolean> {
    try {
      await this.db.transaction().execute(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('projections')
          .set({ cursor: to })
          .where((eb) => eb.and({ applicationId, cursor: from }))
          .executeTakeFirst();
        if (numUpdatedRows === 0n) throw new StaleBatch();
        // An erasure locks the cursor before it removes conversations, and has removed the events by then.
        const events = await trx
          .selectFrom('events')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where((eb) => eb.and([eb('id', '>', from), eb('id', '<=', to)]))
          .where('applicationId', '=', applicationId)
          .executeTakeFirstOrThrow();
        if (events.count < count) throw new StaleBatch();
        for (const chunk of chunksOf(changes, MAX_PER_STATEMENT)) {
          await this.#store(trx, applicationId, chunk);
        }
      });
      return true;
    } catch (error) {
      if (error instanceof StaleBatch) return false;
      throw error;
    }
  }

  async #store(
    trx: Kysely<Schema>,
    applicationId: Id,
    changes: readonly ConversationChange[],
  ): Promise<void> {
    const ids = await this.engine.allocateSequences(trx, changes.length);
    const rows = changes.map(
      ({ integrationId, recipient, name, unread, lastAt, lastEvent, lastMessage }, i) => ({
        applicationId,
        integrationId,
        recipient,
        recipientTerm: searchTerm(withoutPlus(recipient)),
        name,
        nameTerm: name === null ? null : searchTerm(name),
        id: ids[i] ?? 0,
        unread,
        lastAt,
        lastEvent,
        lastMessage,
        createdAt: lastAt,
      }),
    );
    const stored = await trx
      .insertInto('conversations')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(keyIn(this.engine.name, 'conversations')).doUpdateSet({
          name: sql<string>`coalesce(excluded.name, conversations.name)`,
          nameTerm: sql<string>`coalesce(excluded.name_term, conversations.name_term)`,
          unread: sql<number>`conversations.unread + excluded.unread`,
          lastAt: LATEST,
          lastEvent: sql<number>`coalesce(excluded.last_event, conversations.last_event)`,
          lastMessage: NEWEST,
        }),
      )
      .returning(['id', 'integrationId', 'recipient'])
      .execute();
    const idsByPlace = new Map(stored.map(({ id, ...place }) => [keyOf(place), id]));
    const received = changes.flatMap((change) => {
      const conversationId = idsByPlace.get(keyOf(change));
      if (conversationId === undefined) return [];
      return change.received.map(({ id: eventId, at: createdAt }) => ({
        applicationId,
        conversationId,
        createdAt,
        eventId,
      }));
    });
    for (const chunk of chunksOf(received, MAX_PER_STATEMENT)) {
      await trx.insertInto('conversationEvents').values(chunk).execute();
    }
  }

  /** Conversations, newest message first. */
  async list(applicationId: Id, request: PageRequest): Promise<Page<Conversation>> {
    const { limit, startingAfter, endingBefore } = request;
    const backwards = isBackwards(request);
    const cursor = startingAfter ?? endingBefore;
    const at = cursor === undefined ? undefined : await this.get(applicationId, cursor);
    if (cursor !== undefined && !at) return { items: [], older: false, newer: false };
    const direction = backwards ? 'asc' : 'desc';
    const all = this.#all(applicationId);
    const rows = await (at ? all.where(beyond(at, backwards)) : all)
      .orderBy('lastAt', direction)
      .orderBy('id', direction)
      .limit(limit + 1)
      .execute();
    return pageOf(rows, request);
  }

  /**
   * Up to `limit` conversations whose recipient begins with `prefix`, and as many whose name does. Each statement reads
   * one range of an index.
   */
  async search(applicationId: Id, prefix: string, limit: number): Promise<Conversation[]> {
    const address = withoutPlus(prefix);
    const found = await Promise.all([
      address === '' ? [] : this.#withPrefix(applicationId, 'recipientTerm', address, limit),
      this.#withPrefix(applicationId, 'nameTerm', prefix, limit),
    ]);
    return [...new Map(found.flat().map((one) => [one.id, one])).values()];
  }

  #withPrefix(
    applicationId: Id,
    column: 'recipientTerm' | 'nameTerm',
    prefix: string,
    limit: number,
  ): Promise<Conversation[]> {
    return this.#all(applicationId)
      .where(column, '>=', prefix)
      .where(column, '<', prefix + LAST_CHARACTER)
      .orderBy(column)
      .orderBy('id')
      .limit(limit)
      .execute();
  }

  get(applicationId: Id, id: Id): Promise<Conversation | undefined> {
    return this.#all(applicationId).where('id', '=', id).executeTakeFirst();
  }

  /** The existing conversations at these places. */
  async at(applicationId: Id, places: readonly Place[]): Promise<Conversation[]> {
    const found: Conversation[] = [];
    const byIntegration = Map.groupBy(places, ({ integrationId }) => integrationId);
    for (const [integrationId, ofIntegration] of byIntegration) {
      for (const chunk of chunksOf(ofIntegration, MAX_PER_STATEMENT)) {
        const recipients = chunk.map(({ recipient }) => recipient);
        const rows = await this.#all(applicationId)
          .where('integrationId', '=', integrationId)
          .where('recipient', 'in', recipients)
          .execute();
        found.push(...rows);
      }
    }
    return found;
  }

  /** Returns whether it exists. */
  async markRead(applicationId: Id, id: Id): Promise<boolean> {
    const { numUpdatedRows } = await this.db
      .updateTable('conversations')
      .set({ unread: 0 })
      .where((eb) => eb.and({ applicationId, id }))
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** Up to `limit` received messages of a conversation before a place in it, newest first. */
  received(
    { applicationId, id: conversationId }: Pick<Conversation, 'applicationId' | 'id'>,
    before: { at: Millis; id: number },
    limit: number,
  ): Promise<Event[]> {
    return this.db
      .selectFrom('conversationEvents as c')
      .innerJoin('events as e', (join) =>
        join.onRef('e.applicationId', '=', 'c.applicationId').onRef('e.id', '=', 'c.eventId'),
      )
      .selectAll('e')
      .where('c.applicationId', '=', applicationId)
      .where('c.conversationId', '=', conversationId)
      .where(sql<boolean>`(c.created_at, c.event_id) < (${before.at}, ${before.id})`)
      .orderBy('c.createdAt', 'desc')
      .orderBy('c.eventId', 'desc')
      .limit(limit)
      .execute();
  }

  /** Up to `limit` sent messages of a conversation before a place in it, newest first. */
  sent(
    { applicationId, integrationId, recipient }: Pick<Conversation, 'applicationId'> & Place,
    before: { at: Millis; id: Id },
    limit: number,
  ): Promise<Pick<Message, 'id' | 'createdAt'>[]> {
    return this.db
      .selectFrom('messages')
      .select(['id', 'createdAt'])
      .where('applicationId', '=', applicationId)
      .where('recipient', '=', recipient)
      .where('integrationId', '=', integrationId)
      .where(sql<boolean>`(created_at, id) < (${before.at}, ${before.id})`)
      .orderBy('createdAt', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
  }

  #all(applicationId: Id) {
    return this.db
      .selectFrom('conversations')
      .selectAll()
      .where('applicationId', '=', applicationId);
  }
}

const LATEST = sql<Millis>`case when excluded.last_at > conversations.last_at then excluded.last_at
  else conversations.last_at end`;

/** The last message is not always the newest: an older one may be sent after it. */
const NEWEST = sql<number>`case when excluded.last_message > coalesce(conversations.last_message, 0)
  then excluded.last_message else conversations.last_message end`;

const keyOf = ({ integrationId, recipient }: Place) => `${integrationId} ${recipient}`;

const beyond = ({ lastAt, id }: Conversation, backwards: boolean) =>
  backwards
    ? sql<boolean>`(last_at, id) > (${lastAt}, ${id})`
    : sql<boolean>`(last_at, id) < (${lastAt}, ${id})`;
