import { type Kysely, sql } from 'kysely';

import type { Event, NewEvent } from '../model/event.ts';
import type { Id } from '../model/id.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Engine } from './engine.ts';
import type { Schema } from './schema.ts';

/** How much of events is read at once, in characters, whatever the limit. */
const MOST_READ = 4 * 1024 * 1024;
/** How many rows one statement inserts. */
const INSERTED = 500;

/**
 * Adds events to the feeds of their applications, in their order. It is the last thing that a transaction
 * does: the feed is held until the commit, so that its numbers become visible in their order and whoever reads
 * up to one has seen all before it. Feeds are held in their own order, here and in every other statement.
 */
export async function appendEvents(
  trx: Kysely<Schema>,
  events: readonly NewEvent[],
): Promise<void> {
  const byFeed = Map.groupBy(events, ({ applicationId }) => applicationId);
  const feeds = [...byFeed].toSorted(([a], [b]) => a - b);
  for (const [applicationId, own] of feeds) {
    const at = Math.max(...own.map(({ createdAt }) => createdAt));
    const feed = await trx
      .updateTable('feeds')
      .set(({ eb }) => ({
        last: eb('last', '+', own.length),
        // Never earlier than the event before, whatever the clock of this node says: see `before`. Those of one call
        // happened together, and are dated by the last of them.
        lastAt: sql<number>`case when last_at < ${at} then ${at} else last_at end`,
      }))
      .where('applicationId', '=', applicationId)
      .returning(['last', 'lastAt'])
      .executeTakeFirst();
    // The application is gone: there is nobody to tell.
    if (!feed) continue;
    const first = feed.last - own.length + 1;
    const { lastAt: createdAt } = feed;
    const rows = own.map(({ type, data, media, trace = null }, i) => {
      return { applicationId, id: first + i, type, data, media, createdAt, trace };
    });
    for (let i = 0; i < rows.length; i += INSERTED) {
      await trx
        .insertInto('events')
        .values(rows.slice(i, i + INSERTED))
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
  // Nearly everybody reads at the end of the feed. Its numbers have no gap, so that is all when they follow.
  const recent = engine.partitions?.recent ?? 0;
  let rows = recent > 0 ? await read(recent) : [];
  if (rows.length === 0 || rows.some(({ id }, i) => id !== after + 1 + i)) {
    if (recent > 0 && (await lastOf(db, applicationId)) <= after) return [];
    rows = await read(0);
  }
  return withinSize(rows);
}

/** As many of the first as are read at once, and at least one. */
export function withinSize(rows: Event[]): Event[] {
  let size = 0;
  const end = rows.findIndex(({ data }, i) => (size += data.length) > MOST_READ && i > 0);
  return end === -1 ? rows : rows.slice(0, end);
}

/** What follows an event, and how far that goes: further than the last of them when others were removed. */
export async function readOn(
  engine: Engine,
  db: Kysely<Schema>,
  applicationId: Id,
  after: number,
  limit: number,
): Promise<{ events: Event[]; upTo: number }> {
  let events = await readEvents(engine, db, applicationId, after, limit);
  let upTo = events.at(-1)?.id;
  if (upTo === undefined) {
    // In this order: what is added in between is then among those that are read.
    const last = await lastOf(db, applicationId);
    events = await readEvents(engine, db, applicationId, after, limit);
    upTo = events.at(-1)?.id ?? Math.max(after, last);
  }
  return { events, upTo };
}

export async function lastOf(db: Kysely<Schema>, applicationId: Id): Promise<number> {
  const feed = await db
    .selectFrom('feeds')
    .select('last')
    .where('applicationId', '=', applicationId)
    .executeTakeFirst();
  return feed?.last ?? 0;
}

/** The feed of an application: everything it is told, in one order. */
export class Events {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  append(events: readonly NewEvent[]): Promise<void> {
    return this.#engine.db.transaction().execute((trx) => appendEvents(trx, events));
  }

  /** Up to `limit` events after that one, oldest first; fewer when they are very large. */
  list(applicationId: Id, after: number, limit: number): Promise<Event[]> {
    return readEvents(this.#engine, this.#engine.db, applicationId, after, limit);
  }

  /** The same, with the number to go on after. */
  next(
    applicationId: Id,
    after: number,
    limit: number,
  ): Promise<{ events: Event[]; upTo: number }> {
    return readOn(this.#engine, this.#engine.db, applicationId, after, limit);
  }

  get(applicationId: Id, id: number): Promise<Event | undefined> {
    return this.#engine.db
      .selectFrom('events')
      .selectAll()
      .where('applicationId', '=', applicationId)
      .where('id', '=', id)
      .executeTakeFirst();
  }

  /** The number of the last event; 0 when there is none. */
  last(applicationId: Id): Promise<number> {
    return lastOf(this.#engine.db, applicationId);
  }

  /** The numbers of the last events of these feeds. */
  async lasts(applicationIds: readonly Id[]): Promise<Map<Id, number>> {
    if (applicationIds.length === 0) return new Map();
    const rows = await this.#engine.db
      .selectFrom('feeds')
      .selectAll()
      .where('applicationId', 'in', applicationIds)
      .execute();
    return new Map(rows.map(({ applicationId, last }) => [applicationId, last]));
  }

  /** The number of the last event before that moment; 0 when there is none. */
  async before(applicationId: Id, moment: Millis): Promise<number> {
    // Moments grow with the numbers, so the place is found by halving.
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
    return this.#engine.db
      .selectFrom('events')
      .select(['id', 'createdAt'])
      .where('applicationId', '=', applicationId)
      .orderBy('id')
      .limit(limit)
      .execute();
  }

  /**
   * Removes events that happened before that, up to `limit` of each of `limit` feeds that follow `after`.
   * Answers where to go on, or undefined when there are no others.
   */
  async removeOlder(before: Millis, after: Id, limit: number): Promise<Id | undefined> {
    const { db } = this.#engine;
    const feeds = await db
      .selectFrom('feeds')
      .select('applicationId')
      .where('applicationId', '>', after)
      .orderBy('applicationId')
      .limit(limit)
      .execute();
    for (const { applicationId } of feeds) {
      const [first] = await this.#oldest(applicationId, 1);
      if (!first || first.createdAt >= before) continue;
      const oldest = await this.#oldest(applicationId, limit);
      const old = oldest.filter(({ createdAt }) => createdAt < before);
      await db
        .deleteFrom('events')
        .where('applicationId', '=', applicationId)
        .where('id', '<=', old.at(-1)?.id ?? 0)
        .execute();
      // The same feed again: it may have others.
      if (old.length === limit) return applicationId - 1;
    }
    return feeds.length === limit ? feeds.at(-1)?.applicationId : undefined;
  }

  /** Deletes up to `limit` events of an application that is gone; answers how many it were. */
  async removeAll(applicationId: Id, limit: number): Promise<number> {
    const rows = await this.#oldest(applicationId, limit);
    const last = rows.at(-1);
    const { db } = this.#engine;
    if (!last) return 0;
    await db
      .deleteFrom('events')
      .where('applicationId', '=', applicationId)
      .where('id', '<=', last.id)
      .execute();
    return rows.length;
  }
}
