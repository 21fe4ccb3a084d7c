import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';

import type { Id } from '../model/id.ts';
import { ALL_COUNTS, type Counts, type Statistic, type Step } from '../model/statistics.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Engine } from './engine.ts';
import type { Schema } from './schema.ts';

/** Of which messages: those of a team, or of one of its applications; and perhaps of one channel. */
export interface Scope {
  teamId: Id;
  applicationId?: Id | undefined;
  channel?: string | undefined;
}

/** From when to when, and by which rows that is told. */
export interface Span {
  step: Step;
  from: Millis;
  to: Millis;
}

/** How many rows one statement adds to. */
const BITE = 200;

/** What was counted of messages, and sums of it. */
export class Statistics {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * Adds to what was counted. Answers those that could not be added, and why: what is left of them is to be added
   * later, and what is not among them is not.
   */
  async add(rows: readonly Statistic[]): Promise<{ left: Statistic[]; fault?: unknown }> {
    // In the order of their keys, in which everybody locks them.
    const sorted = rows.toSorted(
      (a, b) =>
        a.applicationId - b.applicationId ||
        a.step.localeCompare(b.step) ||
        a.at - b.at ||
        a.integrationId - b.integrationId,
    );
    for (let i = 0; i < sorted.length; i += BITE) {
      try {
        await this.#addSome(sorted.slice(i, i + BITE));
      } catch (fault) {
        return { left: sorted.slice(i), fault };
      }
    }
    return { left: [] };
  }

  /** In one statement, and so in one commit. */
  async #addSome(rows: Statistic[]): Promise<void> {
    const sums: Partial<Record<keyof Counts, RawBuilder<number>>> = {};
    for (const name of ALL_COUNTS) {
      sums[name] = sql`${sql.ref(`statistics.${name}`)} + ${sql.ref(`excluded.${name}`)}`;
    }
    const later = sql<Millis>`case when excluded.last_sent_at > statistics.last_sent_at
      then excluded.last_sent_at else statistics.last_sent_at end`;
    await this.#engine.db
      .insertInto('statistics')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(['applicationId', 'step', 'at', 'integrationId'])
          .doUpdateSet({ ...sums, lastSentAt: later }),
      )
      .execute();
  }

  /** Sums for each step of so many milliseconds in which there is anything. */
  async series(scope: Scope, span: Span, width: Millis): Promise<{ at: Millis; counts: Counts }[]> {
    const rows = await this.#within(scope, span)
      .select(sql<Millis>`s.at - s.at % ${width}`.as('bucket'))
      .select(SUMS)
      .groupBy(sql.ref('bucket'))
      .orderBy(sql.ref('bucket'))
      .execute();
    return rows.map((counts) => ({ at: counts.bucket, counts }));
  }

  async byChannel(scope: Scope, span: Span): Promise<(Counts & { channel: string })[]> {
    return this.#within(scope, span)
      .select('s.channel')
      .select(SUMS)
      .groupBy('s.channel')
      .orderBy('s.channel')
      .execute();
  }

  async byApplication(scope: Scope, span: Span): Promise<(Counts & { applicationId: Id })[]> {
    return this.#within(scope, span)
      .select('s.applicationId')
      .select(SUMS)
      .groupBy('s.applicationId')
      .orderBy('s.applicationId')
      .execute();
  }

  async byIntegration(
    scope: Scope,
    span: Span,
  ): Promise<(Counts & Pick<Statistic, 'applicationId' | 'integrationId' | 'channel'>)[]> {
    return this.#within(scope, span)
      .select(['s.applicationId', 's.integrationId', 's.channel'])
      .select(SUMS)
      .groupBy(['s.applicationId', 's.integrationId', 's.channel'])
      .execute();
  }

  /** When something was last sent by an integration. */
  async lastSentAt(applicationId: Id, integrationId: Id): Promise<Millis | undefined> {
    const row = await this.#engine.db
      .selectFrom('statistics')
      .select('lastSentAt')
      .where('applicationId', '=', applicationId)
      .where('step', '=', 'hour')
      .where('integrationId', '=', integrationId)
      .where('lastSentAt', '>', 0)
      .orderBy('at', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row?.lastSentAt;
  }

  /** Removes up to `limit` rows of before that; answers how many it were. */
  async removeOlder(step: Step, before: Millis, limit: number): Promise<number> {
    return this.#remove(sql`step = ${step} and at < ${before}`, limit);
  }

  /** Removes up to `limit` rows of an application that is gone; answers how many it were. */
  async removeAll(applicationId: Id, limit: number): Promise<number> {
    return this.#remove(sql`application_id = ${applicationId}`, limit);
  }

  async #remove(which: RawBuilder<unknown>, limit: number): Promise<number> {
    const { numAffectedRows } = await sql`delete from statistics
      where (application_id, step, at, integration_id) in
      (select application_id, step, at, integration_id from statistics where ${which} limit ${limit})`.execute(
      this.#engine.db,
    );
    return Number(numAffectedRows ?? 0);
  }

  #within({ teamId, applicationId, channel }: Scope, { step, from, to }: Span) {
    let query: Query = this.#engine.db
      .selectFrom('applications as a')
      .innerJoin('statistics as s', 's.applicationId', 'a.id')
      .where('a.teamId', '=', teamId)
      .where('s.step', '=', step)
      .where('s.at', '>=', from)
      .where('s.at', '<', to);
    if (applicationId !== undefined) query = query.where('a.id', '=', applicationId);
    if (channel !== undefined) query = query.where('s.channel', '=', channel);
    return query;
  }
}

type Joined = Schema & { a: Schema['applications']; s: Schema['statistics'] };
type Query = SelectQueryBuilder<Joined, 'a' | 's', object>;

/** As whole numbers in both databases: PostgreSQL adds integers up to bigints. */
const SUMS = ALL_COUNTS.map((name) => sql<number>`sum(${sql.ref(`s.${name}`)})`.as(name));
