import { type Kysely, sql } from 'kysely';

import type { Event, NewEvent } from '../../model/event.ts';
import type { Id } from '../../model/id.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Engine } from '../engine.ts';
import { isOneOf } from '../id-list.ts';
import { Repository } from '../repository.ts';
import type { Schema } from '../schema.ts';

/** The maximum size of a read in characters, apart from the number of events. */
const MAX_READ_CHARACTERS = 4 * 1024 * 1024;
const INSERT_BATCH = 500;

/**
 * Appends events to the feeds of their applications, in order. This must be the last step of a transaction: the feed
 * stays locked until the commit, so its numbers become visible in order and a reader of one number has seen all
 * before it. Feeds are locked in key order, here and in all statements, so that no deadlock occurs.
 */
export async function appendEvents(
  trx: Kysely<Schema>,
  events: readonly NewEvent[],
): Promise<void> {
  const byFeed = Map.groupBy(events, ({ applicationId }) => applicationId);
  const feeds = [...byFeed].toSorted(([a], [b]) => a - b);
  for (const [applicationId, group] of feeds) {
    const at = Math.max(...group.map(({ createdAt }) => createdAt));
    const feed = await trx
      .updateTable('feeds')
      .set(({ eb }) => ({
        last: eb('last', '+', group.length),
        // Never earlier than the previous event, even if this node's clock is behind: `before` searches by time.
        // Events of one call get the time of the last of them.
        lastAt: sql<number>`case when last_at < ${at} then ${at} else last_at end`,
      }))
      .where('applicationId', '=', applicationId)
      .returning(['last', 'lastAt'])
      .executeTakeFirst();
    // The application was deleted.
    if (!feed) continue;
    const first = feed.last - group.length + 1;
    const { lastAt: createdAt } = feed;
    const rows = group.map(({ type, data, media, trace = null }, i) => {
      return { applicationId, id: first + i, type, data, media, createdAt, trace };
    });
    for (let i = 0; i < rows.length; i += INSERT_BATCH) {
      await trx
        .insertInto('events')
        .values(rows.slice(i, i + INSERT_BATCH))
        .execute();
    }
  }
}

/** `db` is the engine's own, or a transaction of it. */
async function readEvents(
  engine: Engine,
  db: Kysely<Schema>,
  applicationId: Id,
  after: number,
  limit: number,
): Promise<Event[]> {
  const read = (since: Millis) =>
    db
      .selectFrom('events')
      .selectAll()
      .where('applicationId', '=', applicationId)
      .where('id', '>', after)
      .where('createdAt', '>=', since)
      .orderBy('id')
      .limit(limit)
      .execute();
  // Almost all reads are at the end of the feed, so look at recent partitions first. Numbers have no gaps, so the
  // result is complete if it starts with the next number.
  const recent = engine.partitions?.recent ?? 0;
  let rows = recent > 0 ? await read(recent) : [];
  if (rows.length === 0 || rows.some(({ id }, i) => id !== after + 1 + i)) {
    if (recent > 0 && (await lastEventId(db, applicationId)) <= after) return [];
    rows = await read(0);
  }
  return withinSize(rows);
}

/** As many of the first events as fit into one read, but at least one. */
export function withinSize(rows: Event[]): Event[] {
  let size = 0;
  const end = rows.findIndex(({ data }, i) => (size += data.length) > MAX_READ_CHARACTERS && i > 0);
  return end === -1 ? rows : rows.slice(0, end);
}

/**
 * The events after this one, and the number to continue after: the last event's, or, if all later ones were removed, the
 * last number of the feed.
 */
export async function readAfter(
  engine: Engine,
  db: Kysely<Schema>,
  applicationId: Id,
  after: number,
  limit: number,
): Promise<{ events: Event[]; upTo: number }> {
  let events = await readEvents(engine, db, applicationId, after, limit);
  let upTo = events.at(-1)?.id;
  if (upTo === undefined) {
    // Read the last number first: events added in between are then part of the result.
    const last = await lastEventId(db, applicationId);
    events = await readEvents(engine, db, applicationId, after, limit);
    upTo = events.at(-1)?.id ?? Math.max(after, last);
  }
  return { events, upTo };
}

export async function lastEventId(db: Kysely<Schema>, applicationId: Id): Promise<number> {
  const feed = await db
    .selectFrom('feeds')
    .select('last')
    .where('applicationId', '=', applicationId)
    .executeTakeFirst();
  return feed?.last ?? 0;
}

/** The feed of an application: all its events in one order. */
export class Events extends Repository {
  append(events: readonly NewEvent[]): Promise<void> {
    return this.db.transaction().execute((trx) => appendEvents(trx, events));
  }

  /** Up to `limit` events after this one, oldest first; fewer if they are very large. */
  list(applicationId: Id, after: number, limit: number): Promise<Event[]> {
    return readEvents(this.engine, this.db, applicationId, after, limit);
  }

  /** Like `list`, with the number to continue after. */
  next(
    applicationId: Id,
    after: number,
    limit: number,
  ): Promise<{ events: Event[]; upTo: number }> {
    return readAfter(this.engine, this.db, applicationId, after, limit);
  }

  get(applicationId: Id, id: number): Promise<Event | undefined> {
    return this.db
      .selectFrom('events')
      .selectAll()
      .where((eb) => eb.and({ applicationId, id }))
      .executeTakeFirst();
  }

  /** The existing events with these numbers. */
  async getAll(applicationId: Id, ids: readonly number[]): Promise<Event[]> {
    if (ids.length === 0) return [];
    return this.db
      .selectFrom('events')
      .selectAll()
      .where('applicationId', '=', applicationId)
      .where('id', 'in', ids)
      .execute();
  }

  /** The number of the last event; 0 if there is none. */
  last(applicationId: Id): Promise<number> {
    return lastEventId(this.db, applicationId);
  }

  /** The numbers of the last events of these feeds. */
  async lastOfEach(applicationIds: readonly Id[]): Promise<Map<Id, number>> {
    if (applicationIds.length === 0) return new Map();
    const rows = await this.db
      .selectFrom('feeds')
      .selectAll()
      .where(isOneOf(this.engine, 'applicationId', applicationIds))
      .execute();
    return new Map(rows.map(({ applicationId, last }) => [applicationId, last]));
  }

  /** The number of the last event before this time; 0 if there is none. */
  async before(applicationId: Id, moment: Millis): Promise<number> {
    // Times grow with the numbers, so binary search finds the place.
    let low = 0;
    let high = await this.last(applicationId);
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const [event] = await this.list(applicationId, middle - 1, 1);
      if (event && event.createdAt < moment) low = Math.max(middle, event.id);
      else high = middle - 1;
    }
    return Math.min(low, high);
  }

  #oldest(applicationId: Id, limit: number): Promise<Pick<Event, 'id' | 'createdAt'>[]> {
    return this.db
      .selectFrom('events')
      .select(['id', 'createdAt'])
      .where('applicationId', '=', applicationId)
      .orderBy('id')
      .limit(limit)
      .execute();
  }

  /** Deletes up to `limit` events of an application that are older than `before`; returns how many. */
  async removeOlder(applicationId: Id, before: Millis, limit: number): Promise<number> {
    const oldest = await this.#oldest(applicationId, limit);
    const old = oldest.filter(({ createdAt }) => createdAt < before);
    return this.#removeUpTo(applicationId, old);
  }

  /** Deletes up to `limit` events of a deleted application; returns how many. */
  async removeAll(applicationId: Id, limit: number): Promise<number> {
    return this.#removeUpTo(applicationId, await this.#oldest(applicationId, limit));
  }

  /** Deletes the first events; returns how many. */
  async #removeUpTo(applicationId: Id, first: readonly Pick<Event, 'id'>[]): Promise<number> {
    const last = first.at(-1);
    if (!last) return 0;
    await this.db
      .deleteFrom('events')
      .where('applicationId', '=', applicationId)
      .where('id', '<=', last.id)
      .execute();
    return first.length;
  }
}
