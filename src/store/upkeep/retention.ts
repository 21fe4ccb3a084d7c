import { type Kysely, type RawBuilder, sql } from 'kysely';

import type { AuditEntry } from '../../model/audit.ts';
import type { Id } from '../../model/id.ts';
import type { Millis } from '../../model/timestamp.ts';
import { recordAudit } from '../accounts/audit.ts';
import { byIds } from '../by-ids.ts';
import type { Engine } from '../engine.ts';
import type { Events } from '../feed/events.ts';
import { Repository } from '../repository.ts';
import { removeRoutes } from '../routes/chain.ts';
import type { Schema } from '../schema.ts';
import { AGED_TABLES, type AgedTable, type AgedApplication } from './aged-rows.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Applications per statement. */
const APPLICATIONS_PER_STEP = 200;

/** A round of the search for old rows. */
interface Round {
  now: Millis;
  /** The retention of applications that do not set one. */
  retention: Millis;
  limit: number;
}

/** Applications, by id. */
interface Range {
  after: Id;
  upTo: Id;
}

/** Messages of an application that may be past their retention. */
type Candidates = AgedApplication & { ids: Id[] };

/**
 * Deletes messages, events and what belongs to them past their retention. Applications may have their own; see
 * docs/decisions/0059-retention-per-application.md.
 */
export class Retention extends Repository {
  readonly #events: Events;
  #round: AsyncGenerator<void, void> | undefined;

  constructor(engine: Engine, events: Events) {
    super(engine);
    this.#events = events;
  }

  /** The days for which an application keeps its data; null if those of the service apply. */
  async days(applicationId: Id): Promise<number | null> {
    const row = await this.db
      .selectFrom('retentions')
      .select('days')
      .where('applicationId', '=', applicationId)
      .executeTakeFirst();
    return row?.days ?? null;
  }

  /**
   * Sets the days; returns whether the application exists. The row stays even if the days are null again: PostgreSQL
   * drops partitions only for applications without one, and older rows of this one may be in partitions that were
   * kept.
   */
  setDays(applicationId: Id, days: number | null, audit?: AuditEntry): Promise<boolean> {
    return this.db.transaction().execute(async (trx) => {
      const application = await trx
        .selectFrom('applications')
        .select('id')
        .where('id', '=', applicationId)
        .executeTakeFirst();
      if (!application) return false;
      await trx
        .insertInto('retentions')
        .values({ applicationId, days })
        .onConflict((conflict) => conflict.column('applicationId').doUpdateSet({ days }))
        .execute();
      await recordAudit(trx, audit);
      return true;
    });
  }

  /** Creates upcoming partitions, if the database uses them. */
  async prepare(now: Millis, retention: Millis): Promise<void> {
    await this.engine.partitions?.createMissing(now, retention);
  }

  /**
   * Deletes messages by the time at which they were settled, events by the time at which they were recorded, and other
   * rows by a time of their table (AGED_TABLES).
   * `retention` applies to applications without a setting of their own. Partitions are dropped as a whole, so data may
   * be kept for a tenth longer. Makes one step of up to `limit` rows; returns whether the round goes on. A table is
   * done once a step removes nothing: fewer rows than the limit may mean that another node removed some of them.
   */
  async removeOld(now: Millis, retention: Millis, limit: number): Promise<boolean> {
    this.#round ??= this.#steps({ now, retention, limit });
    try {
      const { done = false } = await this.#round.next();
      if (done) this.#round = undefined;
      return !done;
    } catch (error) {
      this.#round = undefined;
      throw error;
    }
  }

  async *#steps(round: Round): AsyncGenerator<void, void> {
    const { now, retention, limit } = round;
    const { partitions } = this.engine;
    if (partitions) while (await partitions.remove(now, retention, limit)) yield;
    for (let after = 0; ;) {
      const upTo = await this.#endOfRange(after);
      if (upTo === undefined) return;
      const range = { after, upTo };
      yield* this.#removeMessages(range, round);
      while (await this.#removeEvents(range, round)) yield;
      for (const table of AGED_TABLES) while (await this.#removeAged(table, range, round)) yield;
      after = upTo;
      yield;
    }
  }

  async #endOfRange(after: Id): Promise<Id | undefined> {
    const feeds = await this.db
      .selectFrom('feeds')
      .select('applicationId')
      .where('applicationId', '>', after)
      .orderBy('applicationId')
      .limit(APPLICATIONS_PER_STEP)
      .execute();
    return feeds.at(-1)?.applicationId;
  }

  /** The applications of a range whose oldest row is past its retention. */
  async #outdated(
    applications: RawBuilder<unknown>,
    oldest: RawBuilder<unknown>,
    { after, upTo }: Range,
    { now, retention }: Round,
  ): Promise<AgedApplication[]> {
    const { rows } = await sql<{ applicationId: Id; days: number | null }>`
      select f.application_id, (select r.days from retentions r
        where r.application_id = f.application_id) as days
      from ${applications} f where f.application_id > ${after} and f.application_id <= ${upTo}
        and (${oldest}) < ${now} - coalesce((select r.days from retentions r
          where r.application_id = f.application_id) * ${DAY_MS}, ${retention})
      order by f.application_id`.execute(this.db);
    return rows.map(({ applicationId, days }) => {
      return { applicationId, before: now - (days === null ? retention : days * DAY_MS) };
    });
  }

  /** With partitions, only those that have or had a setting of their own: partitions are dropped for the others. */
  #outdatedInPartitions(oldest: RawBuilder<unknown>, range: Range, round: Round) {
    const applications = this.engine.partitions ? RETENTIONS : FEEDS;
    return this.#outdated(applications, oldest, range, round);
  }

  /** Looks at `limit` messages per step, in the order of their creation. */
  async *#removeMessages(range: Range, round: Round): AsyncGenerator<void, void> {
    const { limit } = round;
    const oldest = this.engine.partitions ? OLDEST_SETTLED : OLDEST_MESSAGE;
    let found: Candidates[] = [];
    let seen = 0;
    for (const outdated of await this.#outdatedInPartitions(oldest, range, round)) {
      for (let after = { at: -1, id: 0 }; ;) {
        const size = limit - seen;
        const rows = await this.#messagesAfter(outdated, after, size);
        const old = rows.filter(({ settledAt }) => settledAt > 0 && settledAt < outdated.before);
        if (old.length > 0) found.push({ ...outdated, ids: old.map(({ id }) => id) });
        seen += rows.length;
        if (seen >= limit) {
          await this.#remove(found, round);
          [found, seen] = [[], 0];
          yield;
        }
        const last = rows.at(-1);
        if (!last || rows.length < size) break;
        after = { at: last.createdAt, id: last.id };
      }
    }
    if (found.length > 0) await this.#remove(found, round);
  }

  /** Messages that wait may be older than those to remove, so a page may contain both. */
  #messagesAfter(
    { applicationId, before }: AgedApplication,
    after: { at: Millis; id: Id },
    size: number,
  ) {
    let query = this.db
      .selectFrom('outbox')
      .select(['id', 'settledAt', 'createdAt'])
      .where('applicationId', '=', applicationId)
      .where(sql<boolean>`(created_at, id) > (${after.at}, ${after.id})`)
      .where('createdAt', '<', before);
    if (this.engine.partitions) query = query.where(SETTLED);
    return query.orderBy('createdAt').orderBy('id').limit(size).execute();
  }

  /** Deletes messages with what belongs to them, unless they are resent meanwhile. */
  async #remove(found: readonly Candidates[], { now, retention }: Round): Promise<void> {
    if (found.length === 0) return;
    await this.db.transaction().execute(async (trx) => {
      for (const { applicationId, before, ids } of found) {
        const removed = await trx
          .deleteFrom('outbox')
          .where(byIds(this.engine, applicationId, ids))
          .where(SETTLED)
          .where('settledAt', '<', before)
          .returning('id')
          .execute();
        const gone = removed.map(({ id }) => id);
        if (gone.length === 0) continue;
        await removeAttempts(trx, applicationId, gone);
        await removeRoutes(trx, applicationId, gone);
        // The parts of other applications are removed by their age, with the default retention.
        if (before > now - retention) await removeParts(trx, applicationId, gone);
      }
    });
  }

  async #removeEvents(range: Range, round: Round): Promise<boolean> {
    const outdated = await this.#outdatedInPartitions(OLDEST_EVENT, range, round);
    let left = round.limit;
    for (const { applicationId, before } of outdated) {
      left -= await this.#events.removeOlder(applicationId, before, left);
      if (left <= 0) break;
    }
    return left < round.limit;
  }

  async #removeAged(table: AgedTable, range: Range, round: Round): Promise<boolean> {
    const outdated = await this.#outdated(FEEDS, table.oldest, range, round);
    if (outdated.length === 0) return false;
    return this.db.transaction().execute(async (trx) => {
      let left = round.limit;
      for (const application of outdated) {
        left -= await table.remove(trx, application, left);
        if (left <= 0) break;
      }
      return left < round.limit;
    });
  }
}

const FEEDS = sql`feeds`;
const RETENTIONS = sql`retentions`;

/** A constant, so that PostgreSQL skips the partition of waiting messages already at planning. */
const SETTLED = sql<boolean>`settled_at >= 1`;

const OLDEST_MESSAGE = sql`select created_at from outbox where application_id = f.application_id
  order by created_at, id limit 1`;

const OLDEST_SETTLED = sql`select created_at from outbox where application_id = f.application_id
  and settled_at >= 1 order by created_at, id limit 1`;

const OLDEST_EVENT = sql`select created_at from events where application_id = f.application_id
  order by id limit 1`;

/** Deletes messages of an application with everything that belongs to them. */
export async function removeMessages(
  engine: Engine,
  trx: Kysely<Schema>,
  applicationId: Id,
  ids: readonly Id[],
): Promise<void> {
  await trx
    .deleteFrom('outbox')
    .where(byIds(engine, applicationId, ids))
    .execute();
  await removeAttempts(trx, applicationId, ids);
  await removeRoutes(trx, applicationId, ids);
}

async function removeAttempts(
  trx: Kysely<Schema>,
  applicationId: Id,
  messageIds: readonly Id[],
): Promise<void> {
  await trx
    .deleteFrom('attempts')
    .where('applicationId', '=', applicationId)
    .where('messageId', 'in', messageIds)
    .execute();
}

/** Deletes the parts of messages with their delivery reports; returns their channel ids. */
export function removeParts(
  trx: Kysely<Schema>,
  applicationId: Id,
  messageIds: readonly Id[],
): Promise<{ integrationId: Id; channelId: string }[]> {
  return trx
    .deleteFrom('parts')
    .where('applicationId', '=', applicationId)
    .where('messageId', 'in', messageIds)
    .returning(['integrationId', 'channelId'])
    .execute();
}
