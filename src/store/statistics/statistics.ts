import { type RawBuilder, sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import {
  ALL_COUNTS,
  type Counts,
  type Statistic,
  type Step,
  addCounts,
} from '../../model/statistics.ts';
import type { Millis } from '../../model/timestamp.ts';
import { type Scope, applicationsIn } from '../applications-in-scope.ts';
import { deleteRows } from '../delete-rows.ts';
import { Repository } from '../repository.ts';

/** A period, and the step whose rows cover it. */
export interface Span {
  step: Step;
  from: Millis;
  to: Millis;
}

const ROWS_PER_STATEMENT = 200;
const APPLICATIONS_PER_STATEMENT = 20;

const TEXTS = ['step', 'channel'] as const;
const COLUMNS = [
  'applicationId',
  'at',
  'integrationId',
  'sandbox',
  'lastSentAt',
  ...ALL_COUNTS,
  ...TEXTS,
] as const;

const isText = (column: string) => TEXTS.some((text) => text === column);

const INSERT_INTO = sql`insert into statistics (${sql.join(COLUMNS.map((column) => sql.ref(column)))})`;

/** Adds to existing rows and creates the missing ones. */
const ADDING = sql`on conflict (application_id, step, at, integration_id, sandbox) do update set
  last_sent_at = case when excluded.last_sent_at > statistics.last_sent_at
    then excluded.last_sent_at else statistics.last_sent_at end,
  ${sql.join(
    ALL_COUNTS.map((name) => {
      const [before, added] = [sql.ref(`statistics.${name}`), sql.ref(`excluded.${name}`)];
      return sql`${sql.ref(name)} = ${before} + ${added}`;
    }),
  )}`;

/*
 * With one message to each of many tenants, these rows are most of the writes. SQLite runs the statement once for each
 * row, which takes a fifth of the time of `json_each`: that looks each of the 31 values up by its path. PostgreSQL gets
 * all rows in one parameter, which takes a tenth of the time of one parameter per value.
 */
const ADD_ONE = sql`${INSERT_INTO} values (${sql.join(COLUMNS.map(() => null))}) ${ADDING}`;

const POSTGRES = sql.join(
  COLUMNS.map((column, i) => {
    const text = sql`value ->> ${i}::int`;
    return isText(column) ? text : sql`(${text})::bigint`;
  }),
);
const addOnPostgres = (values: string) =>
  sql`${INSERT_INTO} select ${POSTGRES} from json_array_elements(${values}::json) as value ${ADDING}`;

/** Message counts, and sums of them. */
export class Statistics extends Repository {
  /** Adds counts. Returns the rows that could not be added, and why; the caller must add exactly these again. */
  async add(rows: readonly Statistic[]): Promise<{ left: Statistic[]; fault?: unknown }> {
    // In key order: the lock order of all nodes.
    const sorted = rows.toSorted(
      (a, b) =>
        a.applicationId - b.applicationId ||
        a.step.localeCompare(b.step) ||
        a.at - b.at ||
        a.integrationId - b.integrationId ||
        a.sandbox - b.sandbox,
    );
    for (let i = 0; i < sorted.length; i += ROWS_PER_STATEMENT) {
      try {
        await this.#addBatch(sorted.slice(i, i + ROWS_PER_STATEMENT));
      } catch (fault) {
        return { left: sorted.slice(i), fault };
      }
    }
    return { left: [] };
  }

  /** In one commit. */
  async #addBatch(rows: readonly Statistic[]): Promise<void> {
    const values = rows.map((row) => COLUMNS.map((column) => row[column]));
    const { db, runMany } = this.engine;
    if (runMany) await runMany(ADD_ONE.compile(db).sql, values);
    else await addOnPostgres(JSON.stringify(values)).execute(db);
  }

  /** Sums per interval of `width` milliseconds; empty intervals are omitted. */
  async series(scope: Scope, span: Span, width: Millis): Promise<{ at: Millis; counts: Counts }[]> {
    const by = [sql`at - at % ${width} as at`];
    const rows = await this.#sum<{ at: Millis }>(scope, span, by, ({ at }) => at);
    return rows.map((counts) => ({ at: counts.at, counts })).toSorted((a, b) => a.at - b.at);
  }

  async byChannel(scope: Scope, span: Span): Promise<(Counts & { channel: string })[]> {
    const by = [sql`channel`];
    const rows = await this.#sum<{ channel: string }>(scope, span, by, ({ channel }) => channel);
    return rows.toSorted((a, b) => (a.channel < b.channel ? -1 : 1));
  }

  async byApplication(scope: Scope, span: Span): Promise<(Counts & { applicationId: Id })[]> {
    const by = [sql`application_id`];
    const rows = await this.#sum<{ applicationId: Id }>(
      scope,
      span,
      by,
      (row) => row.applicationId,
    );
    return rows.toSorted((a, b) => a.applicationId - b.applicationId);
  }

  byIntegration(
    scope: Scope,
    span: Span,
  ): Promise<(Counts & Pick<Statistic, 'applicationId' | 'integrationId' | 'channel'>)[]> {
    const by = [sql`application_id`, sql`integration_id`, sql`channel`];
    return this.#sum(scope, span, by, (row) => `${row.integrationId} ${row.channel}`);
  }

  /** When an integration last sent a message. */
  async lastSentAt(applicationId: Id, integrationId: Id): Promise<Millis | undefined> {
    const row = await this.db
      .selectFrom('statistics')
      .select('lastSentAt')
      .where((eb) => eb.and({ applicationId, step: 'hour', integrationId }))
      .where('lastSentAt', '>', 0)
      .orderBy('at', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row?.lastSentAt;
  }

  /** Deletes up to `limit` older rows; returns how many. */
  removeOlder(step: Step, before: Millis, limit: number): Promise<number> {
    return deleteRows(this.db, 'statistics', sql`step = ${step} and at < ${before}`, limit);
  }

  /** Deletes up to `limit` rows of a deleted application; returns how many. */
  removeAll(applicationId: Id, limit: number): Promise<number> {
    return deleteRows(this.db, 'statistics', sql`application_id = ${applicationId}`, limit);
  }

  /** Sums the counts of a scope, in batches of applications, grouped by `keyOf`. */
  async #sum<By extends object>(
    scope: Scope,
    { step, from, to }: Span,
    by: readonly RawBuilder<unknown>[],
    keyOf: (row: By) => string | number,
  ): Promise<(Counts & By)[]> {
    const { channel, mode = 'live' } = scope;
    const sandbox = mode === 'sandbox' ? 1 : 0;
    const ofChannel = channel === undefined ? sql`true` : sql`channel = ${channel}`;
    const groups = sql.join(POSITIONS.slice(0, by.length));
    const sums = new Map<string | number, Counts & By>();
    for await (const ids of applicationsIn(this.db, scope, APPLICATIONS_PER_STATEMENT)) {
      const { rows } = await sql<Counts & By>`select ${sql.join(by)}, ${sql.join(SUMS)}
        from statistics where application_id in (${sql.join(ids)})
          and step = ${step} and at >= ${from} and at < ${to} and sandbox = ${sandbox}
          and ${ofChannel}
        group by ${groups}`.execute(this.db);
      for (const row of rows) {
        const sum = sums.get(keyOf(row));
        if (sum) addCounts(sum, row);
        else sums.set(keyOf(row), row);
      }
    }
    return [...sums.values()];
  }
}

/** Positions of the grouping columns in the select list. */
const POSITIONS = [sql`1`, sql`2`, sql`3`];

/** PostgreSQL sums integers to bigint, so these are integers on both databases. */
const SUMS = ALL_COUNTS.map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`);
