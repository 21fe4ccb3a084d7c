import { closeSync, fsyncSync, openSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as breathe } from 'node:timers/promises';

import { isPostgres } from '../../src/store/open.ts';
import { connected } from './postmaster.ts';
import type { Sample } from './sample.ts';
import { SPREAD } from './store-work.ts';

/*
 * Fills a store with many copies of a message that was really sent, each with its attempt and event, to a tenth as many
 * recipients in mixed order. It simulates years of use in minutes. It writes SQL directly, because the store's own methods
 * would take days.
 */

/** Rows per statement, small enough that the benchmark can be interrupted. */
const MAX_BATCH = 100_000;

/** SQL expressions for the columns of the nth copy that differ from the sample. */
type Changes = Readonly<Record<string, string>>;

interface Speaker {
  columns(table: string): Promise<string[]>;
  number(text: string): Promise<number>;
  run(text: string): Promise<void>;
}

/** Fills a store, which must not be open, until it holds that many messages. */
export async function fill(database: string, sample: Sample, messages: number): Promise<void> {
  await speaking(database, async (speaker) => {
    const { number, run } = speaker;
    const feed = `feeds where application_id = ${sample.applicationId}`;
    const stored = await number('select count(*) as n from attempts');
    for (let left = messages - stored; left > 0; left -= MAX_BATCH) {
      // Statements on the embedded store are synchronous, so signals would not be handled otherwise.
      await breathe();
      const lastId = await number('select max(id) as n from outbox');
      const lastEvent = await number(`select last as n from ${feed}`);
      const count = Math.min(MAX_BATCH, left);
      const id = `${lastId} + n`;
      const moment = `one.created_at + ${lastId} + n`;
      await copy(speaker, 'outbox', `one.id = ${sample.id}`, count, {
        id,
        sequence: id,
        recipient: `'recipient-' || ((${lastId} + n) * ${SPREAD}) % ${messages / 10}`,
        created_at: moment,
        updated_at: moment,
        settled_at: moment,
      });
      await copy(speaker, 'attempts', `one.message_id = ${sample.id}`, count, { message_id: id });
      await copy(
        speaker,
        'events',
        `one.application_id = ${sample.applicationId} and one.id = 1`,
        count,
        {
          id: `${lastEvent} + n`,
          created_at: moment,
        },
      );
      await run(
        `update feeds set last = last + ${count} where application_id = ${sample.applicationId}`,
      );
      await moveNumbers(database, run, lastId + count);
    }
  });
}

/** Adds scheduled messages to a store that is not open, to these recipients in mixed order. */
export async function fillSchedule(
  database: string,
  sample: Sample,
  scheduled: number,
  recipients: number,
): Promise<void> {
  await speaking(database, async (speaker) => {
    for (let left = scheduled; left > 0; left -= MAX_BATCH) {
      await breathe();
      const lastId = await speaker.number('select max(id) as n from outbox');
      const count = Math.min(MAX_BATCH, left);
      const id = `${lastId} + n`;
      const recipient = `'recipient-' || ((${lastId} + n) * ${SPREAD}) % ${recipients}`;
      await copy(speaker, 'outbox', `one.id = ${sample.id}`, count, {
        id,
        sequence: id,
        recipient,
        consent_key: `'webhook:' || ${recipient}`,
        state: `'scheduled'`,
        settled_at: '-1',
        // From tomorrow on, one each second.
        due_at: `one.created_at + 86400000 + (${id}) * 1000`,
        attempts: '0',
        starts: '0',
        parts_sent: '0',
        channel_ids: 'null',
      });
      await moveNumbers(database, speaker.run, lastId + count);
    }
  });
}

function moveNumbers(database: string, run: Speaker['run'], to: number): Promise<void> {
  if (isPostgres(database)) return run(`select setval('message_ids', ${to})`);
  return run(`update sequences set last = ${to} where name = 'message_ids'`);
}

async function copy(
  { columns, run }: Speaker,
  table: string,
  which: string,
  count: number,
  changes: Changes,
): Promise<void> {
  const names = await columns(table);
  const values = names.map((name) => changes[name] ?? `one.${name}`);
  await run(`
    insert into ${table} (${names.join(', ')})
    with recursive numbers (n) as (select cast(1 as bigint) union all select n + 1 from numbers where n < ${count})
    select ${values.join(', ')} from ${table} one cross join numbers where ${which}`);
}

async function speaking(
  database: string,
  work: (speaker: Speaker) => Promise<void>,
): Promise<void> {
  if (isPostgres(database)) return speakingPostgres(database, work);
  using db = new DatabaseSync(database);
  // Safe, because an incomplete store is discarded.
  db.exec('pragma synchronous = off; pragma cache_size = -1000000');
  await work({
    columns: async (table) =>
      db
        .prepare('select name from pragma_table_info(?)')
        .all(table)
        .map(({ name }) => String(name)),
    number: async (text) => Number(db.prepare(text).get()?.['n']),
    run: async (text) => db.exec(text),
  });
  db.exec('pragma wal_checkpoint(truncate)');
  // Otherwise the system writes the file to disk during the measurement, which slows a large store more.
  const file = openSync(database, 'r+');
  fsyncSync(file);
  closeSync(file);
}

function speakingPostgres(
  database: string,
  work: (speaker: Speaker) => Promise<void>,
): Promise<void> {
  return connected(database, async (client) => {
    await client.query('set statement_timeout = 0; set synchronous_commit = off');
    await work({
      async columns(table) {
        const { rows } = await client.query<{ name: string }>(
          `select attname as name from pg_attribute
           where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
          [table],
        );
        return rows.map(({ name }) => name);
      },
      async number(text) {
        const { rows } = await client.query<{ n: string }>(text);
        return Number(rows[0]?.n);
      },
      run: async (text) => void (await client.query(text)),
    });
    // As autovacuum would have done long ago.
    await client.query('vacuum analyze');
  });
}

/** The disk size of a store, in bytes. */
export async function sizeOf(database: string): Promise<number> {
  if (!isPostgres(database)) {
    const files = [database, `${database}-wal`];
    return files.reduce(
      (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  }
  return connected(database, async (client) => {
    const { rows } = await client.query<{ size: string }>(
      'select pg_database_size(current_database()) as size',
    );
    return Number(rows[0]?.size);
  });
}
